import { readUserConfig, type Environment } from '../compose.ts';
import { readProjectConfig, type NotifyConfig } from '../core/config.ts';
import { openMask, type Mask } from '../core/mask.ts';
import { webhookSecrets } from '../core/webhook-secrets.ts';
import type { Workspace } from '../ports.ts';
import { readPlanFile } from '../run/prepare.ts';

interface Files {
  readonly looker: Pick<Workspace, 'readWorkFile'>;
  readonly planPath: string;
  readonly env: Environment;
}

/** Masks the webhook addresses that plan, project and user have written out: git knows them, and a diff shows what lies near. */
export async function ownMask(files: Files): Promise<Mask> {
  const layers = [ofPlan, ofProject, ofUser].map(async (read) => read(files).catch(() => []));
  return openMask(webhookSecrets((await Promise.all(layers)).flat()));
}

type Targets = Promise<readonly NotifyConfig[]>;

async function ofPlan({ looker, planPath }: Files): Targets {
  return (await readPlanFile(looker, planPath)).plan.config.notify ?? [];
}

async function ofProject({ looker }: Files): Targets {
  const path = '.skeleton.yml';
  const file = await looker.readWorkFile(path);
  return file.kind === 'file' ? (readProjectConfig(file.bytes, path).config.notify ?? []) : [];
}

async function ofUser({ env }: Files): Targets {
  const file = await Promise.resolve(readUserConfig(env));
  return file === undefined ? [] : (readProjectConfig(file.bytes, file.path).config.notify ?? []);
}

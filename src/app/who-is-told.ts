import { openHouse, planPathIn, readUserConfig } from '../compose.ts';
import { readProjectConfig, type NotifyConfig } from '../core/config.ts';
import { Interrupted, type Workspace } from '../ports.ts';
import { filesAt } from './files-at.ts';
import { readPlan, type PlanReading } from './read-plan.ts';
import type { RunIo, RunOptions } from './run-base.ts';

/** Who is to hear of a run, and which one. */
export interface Told {
  readonly targets: readonly NotifyConfig[];
  /** Absolute. */
  readonly top: string;
  readonly plan?: string;
}

/**
 * What the files say as far as they can be read: a plan that is broken or not there leaves `.skeleton.yml` and the user's own
 * file, no repository leaves that alone. Where an agent is at work or has died, they are read as they were before its attempt:
 * what it writes there is not carried out.
 */
export async function whoIsTold(options: RunOptions, io: Pick<RunIo, 'env'>): Promise<Told> {
  try {
    const house = await openHouse(options.cwd, io.env);
    const { top } = house.facts;
    const workspace = await house.workspace();
    const open = await (await house.traces()).openHere();
    const files = open === undefined ? workspace : filesAt(open.base, workspace);
    const plan = planPathOf(top, options);
    const { config } = await readAsFarAsItGoes(files, { ...options, ...io }, plan);
    return { targets: config.notify ?? [], top, plan };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return { targets: await ofUser(io), top: options.cwd };
  }
}

type Files = Pick<Workspace, 'readWorkFile'>;

async function readAsFarAsItGoes(
  files: Files,
  { flags, env }: Pick<RunOptions, 'flags'> & Pick<RunIo, 'env'>,
  planPath: string,
): Promise<PlanReading> {
  const job = { planPath, flags, env };
  try {
    return await readPlan({ ...job, workspace: files });
  } catch {
    return readPlan({ ...job, workspace: withEmpty(planPath, files) });
  }
}

function withEmpty(plan: string, files: Files): Files {
  const bytes = new Uint8Array();
  return {
    readWorkFile: (path) =>
      path === plan
        ? Promise.resolve({ kind: 'file', bytes, ignored: false })
        : files.readWorkFile(path),
  };
}

/** A plan that was asked for outside of the work tree is none. */
function planPathOf(top: string, { cwd, planPath }: RunOptions): string {
  try {
    return planPathIn(top, cwd, planPath);
  } catch {
    return planPathIn(top, cwd, undefined);
  }
}

/** A file that cannot be read names nobody: what is wrong with it is the run's to say. */
async function ofUser({ env }: Pick<RunIo, 'env'>): Promise<readonly NotifyConfig[]> {
  try {
    const file = readUserConfig(env);
    return file === undefined ? [] : (readProjectConfig(file.bytes, file.path).config.notify ?? []);
  } catch {
    return [];
  }
}

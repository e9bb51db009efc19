import { openHouse, type Environment, type House } from '../compose.ts';
import { remoteOfUser } from './remote-of-user.ts';
import type { TaskHolder } from '../ports.ts';

/** Who works on what in a plan now, where machines share the ledger. */
export interface Holders {
  /** Where the ledger is, without its password. */
  readonly ledger: string;
  readonly held: readonly TaskHolder[];
  /** What `run` needs beside the ledger, with a blank before; '' where the user's own file says it. */
  readonly runOption: string;
}

/** Undefined where the ledger is this repository's own. Throws Refusal(3) where its server does not answer. */
export async function readHolders(
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
  slug: string,
): Promise<Holders | undefined> {
  const house = await openHouse(cwd, env);
  const look = await house.look();
  if (look === undefined) return undefined;
  try {
    const { held } = await look.work(slug);
    return { ledger: house.shared?.shown ?? '', held, runOption: runOption(house, env) };
  } finally {
    await look.close();
  }
}

/** What `run` needs beside the ledger there, as `Holders.runOption`; '' where the ledger is the repository's own. No server is asked. */
export async function readRunOption({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Environment;
}): Promise<string> {
  return runOption(await openHouse(cwd, env), env);
}

function runOption({ shared }: Pick<House, 'shared'>, env: Environment): string {
  return shared === undefined || remoteOfUser(env) !== undefined ? '' : ' --remote origin';
}

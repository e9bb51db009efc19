import { openHouse, type Environment } from '../compose.ts';
import { Refusal } from '../ports.ts';

export interface Located {
  /** Absolute: the top of the work tree. */
  readonly top: string;
  /** Absolute: `skeleton/` in the common git directory, to which the logs of gates are relative. */
  readonly stateFolder: string;
}

/** Where a command that is about to run works; undefined outside a repository, which is for the command itself to refuse. */
export async function locate(cwd: string, env: Environment): Promise<Located | undefined> {
  try {
    const { facts, stateFolder } = await openHouse(cwd, env);
    return { top: facts.top, stateFolder };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

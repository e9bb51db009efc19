import { parseDuration } from '../../core/config/units.ts';
import { Refusal, type Claims, type Ledger, type Worker } from '../../ports.ts';
import { openClaims } from './claims.ts';
import { heldLocks } from './held-locks.ts';
import { migrate } from './migrations.ts';
import { sessionName } from './once.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { locate, type Location } from './shown-url.ts';
import { openSession, type Session } from './session.ts';
import { timingsOf } from './timings.ts';

export { shownUrl } from './shown-url.ts';

interface Place {
  /** Names the repository among all that share the database; `?project=` in the URL goes before it. */
  readonly project: string;
  /** Milliseconds that a server which was there is waited for; 2 minutes by default. Where it is less, all other times shrink with it. */
  readonly patienceMs?: number;
}

export interface PostgresOptions extends Place {
  readonly worker: Worker;
  /** Milliseconds for which a new connection leaves tasks alone that somebody had begun: he may only have to connect again. */
  readonly settleMs?: number;
}

export interface OpenPostgres {
  readonly ledger: Ledger;
  readonly claims: Claims;
  /** The URL without its password. */
  readonly where: string;
  /** Lets go of everything that is held; the ledger is closed with it. Safe to repeat. */
  close(): Promise<void>;
}

/**
 * Opens a database for a worker, brought up to date: its ledger and its claims on one connection. Throws Refusal(2) for a URL that is
 * none; Refusal(3) for a server that cannot be used or be reached (at once where waiting does not help, else after some 5 s).
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<OpenPostgres> {
  const { location, session } = await connect(url, options);
  const held = heldLocks(session);
  const project = location.project ?? options.project;
  const ledger = postgresLedger(session, { project, held });
  const claims = openClaims(session, { ...options, project, held });
  return { ledger, claims, where: location.shown, close: async () => ledger.close() };
}

/** Opens the ledger alone, as openPostgres does; `readOnly`: changes nothing, and no ledger yet reads as an empty one. */
export async function openPostgresLedger(
  url: string,
  options: Place & { readonly readOnly?: boolean },
): Promise<Ledger> {
  const { location, session } = await connect(url, options);
  const project = location.project ?? options.project;
  return postgresLedger(session, { project, held: heldLocks(session) });
}

async function connect(
  url: string,
  options: Place & { readonly worker?: Worker; readonly readOnly?: boolean },
): Promise<{ readonly location: Location; readonly session: Session }> {
  const { worker, readOnly = false, patienceMs = patienceIn(process.env) } = options;
  const location = locate(url);
  const name = worker === undefined ? 'skeleton' : sessionName(worker);
  const session = await openSession({ location, name, readOnly, timings: timingsOf(patienceMs) });
  try {
    if (!readOnly) await session.repeat(async (on) => migrate(on, location.shown));
    return { location, session };
  } catch (error) {
    await session.close();
    throw error;
  }
}

const PATIENCE = 'SKELETON_LEDGER_PATIENCE';

function patienceIn(environment: NodeJS.ProcessEnv): number | undefined {
  const told = environment[PATIENCE];
  if (told === undefined || told === '') return undefined;
  const patience = parseDuration(told);
  if (patience !== undefined) return patience;
  throw new Refusal(2, `${PATIENCE} is no duration: ${told}`, `for example ${PATIENCE}=2m`);
}

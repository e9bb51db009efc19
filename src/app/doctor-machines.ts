import type { Environment, House } from '../compose.ts';
import type { DoctorLine, DoctorSection } from '../core/doctor.ts';
import { Refusal, type LedgerServer } from '../ports.ts';
import { remoteOfUser } from './remote-of-user.ts';

/** Milliseconds for the remote: a run waits longer. */
const PATIENCE = 15_000;

/** Where the history is and, where machines share it, whether ledger and remote would let a run begin. */
export async function machinesSection(
  house: House,
  { env, remote: asked }: { readonly env: Environment; readonly remote?: string },
): Promise<DoctorSection> {
  const remote = asked ?? remoteOfUser(env);
  const ledger = house.shared === undefined ? [ownLedger(house)] : await sharedLedger(house);
  if (house.shared === undefined && remote === undefined)
    return { title: 'ledger and remote', lines: ledger };
  return { title: 'ledger and remote', lines: [...ledger, await remoteLine(house, remote)] };
}

function ownLedger({ stateFolder, hasLedger }: House): DoctorLine {
  const none = hasLedger() ? '' : ', which the first run makes';
  const text = `ledger: this repository's own, ${stateFolder}/ledger.db${none}`;
  return { state: 'ok', text, data: { name: 'ledger', shared: false } };
}

async function sharedLedger(house: House): Promise<readonly DoctorLine[]> {
  const shown = house.shared?.shown ?? '';
  const data = { name: 'ledger', shared: true, ledger: shown };
  try {
    const look = await house.look();
    if (look === undefined) return [];
    try {
      return serverLines(await look.server(), shown);
    } finally {
      await look.close();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [{ state: 'problem', text: wordsOf(error), data }];
  }
}

function serverLines(server: LedgerServer, shown: string): readonly DoctorLine[] {
  const { version, role, milliseconds } = server;
  const text = `ledger: ${shown}, shared; PostgreSQL ${version} answers within ${Math.ceil(milliseconds)} ms, no pooler between`;
  const data = { name: 'ledger', shared: true, ledger: shown, version, role };
  return [{ state: 'ok', text, data }, schemaLine(server), grantsLine(server)];
}

function schemaLine({ schema, knownSchema }: LedgerServer): DoctorLine {
  const data = { name: 'schema', schema: schema ?? null, known: knownSchema };
  if (schema === undefined) return { state: 'problem', text: 'schema: it may not be read', data };
  if (schema > knownSchema) {
    const text = `schema: ${schema}, of a newer skeleton; this one knows ${knownSchema}`;
    return { state: 'problem', text, data };
  }
  if (schema === knownSchema) return { state: 'ok', text: `schema: ${schema}`, data };
  const found = schema === 0 ? 'none yet' : `${schema}, an older one`;
  const text = `schema: ${found}; the next run brings it to ${knownSchema}`;
  return { state: 'notice', text, data };
}

function grantsLine({ role, lacking }: LedgerServer): DoctorLine {
  const data = { name: 'grants', role, lacking: lacking.join(', ') };
  if (lacking.length === 0)
    return { state: 'ok', text: `grants: ${role} may do all that a run needs`, data };
  const text = `grants: a run needs more than ${role} may: ${lacking.join(', ')}`;
  return { state: 'problem', text, data };
}

async function remoteLine(house: House, name: string | undefined): Promise<DoctorLine> {
  if (name === undefined) {
    const text =
      'remote: none is named, and a run needs one: --remote NAME, or remote: in config.yml';
    return { state: 'notice', text, data: { name: 'remote', remote: null } };
  }
  const data = { name: 'remote', remote: name };
  try {
    const remote = await house.remote(name);
    await Promise.race([remote.assertReady(), silence(name)]);
    const text = `remote: ${name} can be read, and answers a push that changes nothing; its hooks and protected branches speak at the first real one`;
    return { state: 'ok', text, data };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { state: 'problem', text: `remote: ${wordsOf(error)}`, data };
  }
}

async function silence(name: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE).unref());
  throw new Refusal(3, `${name} gives no answer within ${PATIENCE / 1000} s`);
}

function wordsOf({ message, mend }: Refusal): string {
  return mend === '' ? message : `${message}: ${mend.split('\n')[0] ?? ''}`;
}

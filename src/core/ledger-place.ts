import type { Secret } from './mask.ts';
import { looksSecret } from './secret-looks.ts';

/** The variable that says where the ledger is; a flag and the user's own file are written into it where we read it. */
export const ledgerVariable = 'SKELETON_LEDGER';

/** A ledger in PostgreSQL, which other machines write too. */
export interface SharedPlace {
  /** With its password, if there is one: never to be written anywhere. */
  readonly url: string;
  /** The same for people: `postgres://user@host/database`. */
  readonly shown: string;
  /** `?project=NAME`: whose history it is, where the repository's first commit is not to say it. */
  readonly project: string | undefined;
}

export type LedgerPlace =
  /** The file in this repository. */
  | { readonly kind: 'local' }
  | ({ readonly kind: 'shared' } & SharedPlace)
  /** Why it is no place, without the value, which may hold a password. */
  | { readonly kind: 'wrong'; readonly why: string };

export const understood = 'postgres://USER@HOST/DATABASE (or postgresql://…), or local';

const aUser = String.raw`([^\s/?#@:]*)`;
const aPassword = String.raw`([^\s/?#@]*)`;
const aHost = String.raw`(?:\[[^\s/?#@\]]*\]|[^\s/?#@:,]*)(?::\d+)?`;
/** Anything that would have to be guessed at (an `@` or `?` in a password) does not fit: a part of it would be shown. */
const address = new RegExp(
  String.raw`^postgres(?:ql)?:\/\/(?:${aUser}(?::${aPassword})?@)?(${aHost}(?:,${aHost})*)(\/[^\s?#@]*)?(?:\?([^\s#@]*))?$`,
  'i',
);

/**
 * Where the ledger is, by what a flag, SKELETON_LEDGER or the user's file says: `postgres://…`, `postgresql://…`
 * (postgresql.org/docs/current/libpq-connect.html, "Connection URIs"), or `local`; nothing said: `local`.
 */
export function ledgerPlace(said: string | undefined): LedgerPlace {
  const text = said?.trim() ?? '';
  if (text === '' || text === 'local') return { kind: 'local' };
  if (!/^postgres(?:ql)?:\/\//i.test(text)) return { kind: 'wrong', why: strangeScheme(text) };
  const parts = partsOf(text);
  if (parts === undefined)
    return {
      kind: 'wrong',
      why: 'the address cannot be read: write / ? # @ : and blanks in a user or password as %2F %3F %23 %40 %3A %20',
    };
  const { user, host, database, query } = parts;
  const why = wrongHost(host) ?? wrongOption(query);
  if (why !== undefined) return { kind: 'wrong', why };
  const shown = shownAs(user, `${host}${database}`);
  const url = text.replace(/^[^:]*/, (scheme) => scheme.toLowerCase());
  return { kind: 'shared', url, shown, project: query.get('project') ?? undefined };
}

function shownAs(user: string, place: string): string {
  return `postgres://${user === '' ? '' : `${user}@`}${place}`;
}

function wrongHost(host: string): string | undefined {
  if (host.includes(',')) return 'it names several hosts: name the one where the primary is';
  const port = /:(\d+)$/.exec(host)?.[1];
  return port !== undefined && (Number(port) < 1 || Number(port) > 65_535)
    ? `${port} is no port: those are 1 to 65535`
    : undefined;
}

/** What the driver understands of libpq's parameters, and our own. */
const options: ReadonlySet<string> = new Set([
  ...['project', 'user', 'password', 'host', 'port', 'dbname', 'options'],
  ...['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);
const sslModes: readonly string[] = [
  ...['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
];

function wrongOption(query: URLSearchParams): string | undefined {
  const strange = [...query.keys()].find((name) => !options.has(name));
  if (strange !== undefined)
    return `its parameter ${/^\w{1,40}$/.test(strange) ? `${strange} ` : ''}is not known: there are ${[...options].join(', ')}`;
  if (query.get('project') === '') return 'project= is empty: give it a name, or leave it out';
  const mode = query.get('sslmode');
  if (mode === null || sslModes.includes(mode)) return undefined;
  return `its sslmode is none of ${sslModes.join(', ')}`;
}

function strangeScheme(text: string): string {
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(text)?.[1];
  return scheme === undefined ? 'it is no address' : `${scheme}:// is not known`;
}

interface Parts {
  readonly user: string;
  readonly password: string;
  readonly host: string;
  readonly database: string;
  readonly query: URLSearchParams;
}

function partsOf(text: string): Parts | undefined {
  const [whole, user = '', password = '', host = '', database = '', query = ''] =
    address.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return { user, password, host, database, query: new URLSearchParams(query) };
}

/**
 * What of an address must not be shown: the password, unless it is a word that other texts may hold as well, and always the
 * password where it stands behind its user. None of what is no such address.
 */
export function ledgerSecrets(said: string): readonly Secret[] {
  const parts = partsOf(said.trim());
  if (parts === undefined || !/^\s*postgres/i.test(said)) return [];
  const { user, password, query } = parts;
  const given = [password, query.get('password') ?? ''].filter((one) => one !== '');
  const spelt = [...new Set(given.flatMap((one) => [one, decoded(one)]))];
  const placed = password === '' ? [] : [`${user}:${password}@`, `${user}:${decoded(password)}@`];
  const inQuery = given.slice(-1).map((one) => `password=${one}`);
  const values = [...spelt.filter(isTelling), ...placed, ...inQuery];
  return [...new Set(values)].map((value) => ({ name: ledgerVariable, value }));
}

/** No plain word: `skeleton` as a password would black out half of what we write. */
function isTelling(password: string): boolean {
  return looksSecret(password) || (password.length >= 6 && !/^\p{L}+$/u.test(password));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { Refusal } from '../../ports.ts';

function codeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The server itself has spoken: errors of the driver, and of sockets, have no severity. */
function isServerError(error: Error): boolean {
  return 'severity' in error && error.severity !== undefined;
}

/**
 * Whether an error of a statement means that the connection is gone: the server ends it (57P01 57P02 57P05, 08…, 25P03, anything
 * FATAL), or the driver has no server any more, which it tells without a code.
 */
export function endsConnection(error: Error): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return false;
  if (!isServerError(error)) return true;
  const code = codeOf(error);
  const isFatal = 'severity' in error && ['FATAL', 'PANIC'].includes(String(error.severity));
  return isFatal || /^(08|57P0[1235]|25P03)/.test(code);
}

interface Kind {
  readonly codes: RegExp;
  /** What is the matter with the ledger; left out: it cannot be reached. */
  readonly what?: string;
  readonly mend: string;
  /** Waiting does not help; `at first`: before a server was there at all. */
  readonly lasts?: 'always' | 'at first';
}

/** Deadlocks, locks of others, a statement that was ended: nothing was done, and it may be done at once. */
const heldUp = /^(57014|55P03|40P01|40001)$/;

const AGAIN = 'then: skeleton run (it carries on where it was)';

/** Codes of PostgreSQL (postgresql.org/docs/current/errcodes-appendix.html), of sockets and of TLS; the first that fits counts. */
const kinds: readonly Kind[] = [
  {
    codes: /^28/,
    mend: 'put user and password right: in the URL, or the password in PGPASSWORD or ~/.pgpass',
    lasts: 'always',
  },
  {
    codes: /^3D000$/,
    mend: 'name a database that is there, or make it: createdb NAME',
    lasts: 'always',
  },
  {
    codes: /^(ENOTFOUND|EINVAL|ENOENT)$/,
    mend: 'put the host in the URL right',
    lasts: 'at first',
  },
  {
    codes: /CERT|SSL|TLS/,
    mend: 'sslmode in the URL says whether and how the connection is encrypted',
    lasts: 'always',
  },
  {
    codes: /^53300$/,
    mend: 'each worker takes one connection: end what is not needed, or raise max_connections on the server',
  },
  {
    codes: /^53100$/,
    what: 'has no room left',
    mend: `make room on the disk of its server; ${AGAIN}`,
  },
  {
    codes: /^5[34]/,
    what: 'is at a limit of its server',
    mend: `give the server more of what it lacks; ${AGAIN}`,
  },
  {
    codes: /^25006$/,
    what: 'is read-only',
    mend: `make it writable again, or name the primary in the URL; ${AGAIN}`,
  },
  {
    codes: /^(3F000|42P01)$/,
    what: 'has lost its schema, or a table of it',
    mend: 'restore a backup of the database; without one: drop what is left (drop schema skeleton cascade), then: skeleton run makes it anew',
    lasts: 'always',
  },
  {
    codes: /^42501$/,
    what: 'does not let this role do what it has to',
    mend: `skeleton doctor says what it lacks: grant that; ${AGAIN}`,
    lasts: 'always',
  },
  {
    codes: heldUp,
    what: 'is held up by others',
    mend: `see who locks its tables or ends its statements: pg_stat_activity, pg_locks; ${AGAIN}`,
  },
  {
    codes: /^(58|XX)/,
    what: 'has a fault of its own',
    mend: `see the log of its server; ${AGAIN}`,
  },
];

/** The driver tells these without a code. */
const told: readonly (readonly [words: RegExp, code: string])[] = [
  [/password must be a (?:non-empty )?string/i, '28P01'],
  [/SSL/, 'SSL'],
];

function kindOf(error: Error): Kind | undefined {
  const code = codeOf(error);
  const found = told.find(([words]) => words.test(error.message))?.[1] ?? '';
  return kinds.find(({ codes }) => codes.test(code === '' ? found : code));
}

/** Whether it is no use to try to connect again. */
export function isLasting(error: unknown, isFirst: boolean): boolean {
  if (!(error instanceof Error) || error instanceof Refusal) return true;
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const lasts = kindOf(error)?.lasts;
  return lasts === 'always' || (lasts === 'at first' && isFirst);
}

/** Whether a statement that was not carried out is worth another try. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && heldUp.test(codeOf(error));
}

interface Place {
  readonly shown: string;
  readonly mask: (text: string) => string;
}

/**
 * For a person, why the server did not carry out a statement, where that is its own trouble. `status`: 4 once a run has begun. What
 * only a bug of ours can bring about (a constraint, a syntax), and what the server did not say, is given back.
 */
export function explainStatement(error: unknown, { shown, mask }: Place, status: 3 | 4): unknown {
  if (!(error instanceof Error) || !isServerError(error)) return error;
  const kind = kindOf(error);
  if (kind === undefined) return error;
  const { what = 'cannot be used', mend } = kind;
  return new Refusal(status, `the ledger ${shown} ${what}: ${mask(messageOf(error))}`, mend);
}

/** For a person, why there is no connection. What is no trouble with a server is given back. */
export function explain(error: unknown, { shown, mask }: Place): unknown {
  if (!(error instanceof Error) || error instanceof Refusal) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  const { what = 'cannot be reached', mend } = kindOf(error) ?? {};
  return new Refusal(
    3,
    `the ledger ${shown} ${what}: ${mask(messageOf(error))}`,
    mend ?? `see that PostgreSQL runs there and can be reached; ${AGAIN}`,
  );
}

/** One of several addresses that were tried tells as much as all. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return messageOf(error.errors[0]);
  if (/password must be a (?:non-empty )?string/i.test(error.message))
    return 'the server asks for a password, and none is given';
  return error.message === '' ? codeOf(error) : error.message;
}

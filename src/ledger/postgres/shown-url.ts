import { Refusal } from '../../ports.ts';

/** A database, as its URL names it. */
export interface Location {
  /** As `pg` takes it, password and all: never to be shown. */
  readonly connection: string;
  /** `?project=` */
  readonly project: string | undefined;
  readonly shown: string;
  /** A text without the password, wherever it came from. */
  readonly mask: (text: string) => string;
}

/** Throws Refusal(2) for what is no URL of PostgreSQL; the message does not repeat it. */
export function locate(url: string): Location {
  const parsed = parse(url);
  if (parsed === undefined)
    throw new Refusal(
      2,
      'the ledger is no URL of PostgreSQL: it reads postgres://USER@HOST:PORT/DATABASE',
      'in a password, write %40 for @, %2F for /, %23 for # and %25 for %',
    );
  const project = parsed.searchParams.get('project') ?? undefined;
  parsed.searchParams.delete('project');
  const mode = parsed.searchParams.get('sslmode');
  // The driver's own meaning of these is verify-full, and it warns of that; libpq's is what its manual says.
  if (mode !== null && libpqModes.has(mode)) parsed.searchParams.set('uselibpqcompat', 'true');
  const passwords = [
    parsed.password,
    decoded(parsed.password),
    parsed.searchParams.get('password'),
  ];
  const secrets = passwords.filter((secret) => secret !== null && secret !== '');
  return {
    connection: parsed.href,
    project: project === '' ? undefined : project,
    shown: shownUrl(url),
    mask: (text) =>
      secrets.reduce<string>((masked, secret) => masked.replaceAll(secret ?? '', '***'), text),
  };
}

const libpqModes: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca']);

/** The URL of a database for a person's eyes: user, host, port and database; neither its password nor any option. */
export function shownUrl(url: string): string {
  const parsed = parse(url);
  if (parsed === undefined) return 'postgres://…';
  const { username, host, pathname } = parsed;
  return `postgres://${username === '' ? '' : `${decoded(username)}@`}${host}${pathname}`;
}

function parse(url: string): URL | undefined {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  return new URL(url);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

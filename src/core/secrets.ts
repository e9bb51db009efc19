/** Which variables of an environment are secrets, and what of them (README, "Environment and secrets"). */
import { ledgerSecrets, ledgerVariable } from './ledger-place.ts';
import type { Secret } from './mask.ts';
import { isPublicKey, looksSecret } from './secret-looks.ts';
import { shapePattern } from './secret-shapes.ts';

/** A line of a longer secret (a key in PEM) is one too, and an item of a list. */
const LEAST_LINE = 16;
/** Characters. A longer value is looked for in pieces of this length. */
const LONGEST = 4096;

const keys =
  'API|ACCESS|SECRET|PRIVATE|SSH|AUTH|MASTER|SIGN|SIGNING|CRYPT|ENCRYPTION|DEPLOY|LICENSE|SESSION|APP|ACCOUNT|STORAGE|SERVICE|CLIENT';
const secretPart = new RegExp(
  `^(?:(?:${keys})*KEYS?|[A-Z]*(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE)|(?:DB|USER)?PASS|PWD|PAT|JWT|CREDENTIALS?|CREDS|AUTH|COOKIES?|PRIVATE|DSN|WEBHOOKS?)$`,
);
/** Where something is, or what it is called. */
const placePart =
  /_(?:URL|URI|HOST|PORT|PATH|FILE|DIR|NAME|DOMAIN|REGISTRY|ID|ENDPOINT|SOCK|SOCKET|PID)$/;
/** User and password in addresses: a token may stand as either. */
const inAddress = /:\/\/([^\s/:@]*)(?::([^\s/@]+))?@/g;

/**
 * What looks like a secret in an environment: by its name, or a password in an address, or a key of a well-known shape. Of our own
 * variables, only where the ledger is can hold one.
 */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || isFolder(name, value) ? [] : secretsUnder(name, value),
  );
}

function secretsUnder(name: string, value: string): readonly Secret[] {
  if (name === ledgerVariable) return ledgerSecrets(value);
  return name.startsWith('SKELETON_') ? [] : secretsOf(name, value);
}

/** Of every shell: where it is. Elsewhere in a name, PWD is a password. */
function isFolder(name: string, value: string): boolean {
  return name === 'PWD' && value.startsWith('/');
}

function secretsOf(name: string, value: string): readonly Secret[] {
  const passwords = [...value.matchAll(inAddress)].flatMap(([, user = '', word = '']) =>
    [user, word].flatMap((text) => [text, decoded(text)]),
  );
  const texts = [...toldIn(name, value), ...passwords].filter(looksSecret);
  const shaped = value.match(shapePattern()) ?? [];
  return [...new Set([...texts, ...shaped].flatMap(pieces))].map((text) => ({ name, value: text }));
}

/** What is a secret because the variable's name says so. */
function toldIn(name: string, value: string): readonly string[] {
  const split = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  const parts = split.split(/[^A-Z0-9]+/).map((part) => part.replace(/\d+$/, ''));
  // Whoever has the address of a webhook may post there.
  const isPlace = placePart.test(split) && !parts.some((part) => /^WEBHOOKS?$/.test(part));
  if (!parts.some((part) => secretPart.test(part)) || isPlace) return [];
  const isPrint = /[GP]PG/.test(split) && /^[\dA-F]{16,40}$/.test(value);
  if (isPrint || isPublicKey(value)) return [];
  const afterUser = parts.includes('AUTH') ? /^[^\s:]+:(\S+)$/.exec(value)?.[1] : undefined;
  return [...partsOf(value.trim(), 2), ...(afterUser === undefined ? [] : [afterUser])];
}

/** A value, and what of it may stand alone somewhere; `depth`: how often JSON in it is opened. */
function partsOf(value: string, depth: number): readonly string[] {
  const lines = listed(value.replaceAll('\\n', '\n'), /\r?\n/);
  const bare = [
    /^(["'])(.*)\1$/s.exec(value)?.[2],
    /^(?:Bearer|Basic|Token)\s+(.*)$/is.exec(value)?.[1],
  ];
  return [
    ...[value, ...lines, ...listed(value, /[\s,;]+/)],
    ...bare.filter((text) => text !== undefined),
    ...(depth > 0 ? stringsIn(parsed(value)).flatMap((text) => partsOf(text, depth - 1)) : []),
  ];
}

function listed(value: string, between: RegExp): readonly string[] {
  const items = value.split(between).map((item) => item.trim());
  return items.length === 1
    ? []
    : items.filter((item) => item.length >= LEAST_LINE && !item.startsWith('-----'));
}

/** What an error would say of it holds a part of it: nothing is said. */
function parsed(value: string): unknown {
  if (!/^[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Pieces of about the same length, so that none is too short to be told from other text. */
function pieces(value: string): readonly string[] {
  const count = Math.ceil(value.length / LONGEST);
  const length = Math.ceil(value.length / count);
  return Array.from({ length: count }, (_, at) => value.slice(at * length, (at + 1) * length));
}

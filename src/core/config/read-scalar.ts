/** One value of a type that needs no map and no list: read, or a problem at its key's line that says what is expected. */
import { ledgerPlace, understood } from '../ledger-place.ts';
import { quote, type Problem } from '../plan/problem.ts';
import type { YamlNode } from '../plan/yaml-node.ts';
import type { ScalarType } from './keys.ts';
import { parseDuration, parseSize, parseTokens, parseUsd } from './units.ts';

/** `value` is absent where there are problems. */
export interface Read<Value> {
  readonly value?: Value;
  readonly problems: readonly Problem[];
}

/** A key as it stands in a file; `label` is how a message names it (`gates[2].timeout`). */
export interface Spot {
  readonly label: string;
  readonly line: number;
  /** A field of a task: names in it may be those of things in the front matter. */
  readonly ofTask?: true;
}

export type Scalar = string | number | boolean;

export function readScalar(type: ScalarType, node: YamlNode, spot: Spot): Read<Scalar> {
  const text = node.kind === 'text' ? node.text.trim() : '';
  const value = text === '' ? undefined : scalarOf(type, text);
  if (value !== undefined) return { value, problems: [] };
  const expected = expectedOf(type);
  return (type.kind === 'webhook' || type.kind === 'ledger') && node.kind === 'text'
    ? { problems: [unshown(spot, expected)] }
    : bad(node, spot, expected);
}

function scalarOf(type: ScalarType, text: string): Scalar | undefined {
  switch (type.kind) {
    case 'boolean':
      return asBoolean(text);
    case 'duration':
      return positive(parseDuration(text));
    case 'size':
      return positive(parseSize(text));
    case 'count':
      return asCount(text, type.least, type.most);
    case 'choice':
      return type.of.find((choice) => choice === text);
    case 'line':
      return asLine(text);
    case 'name':
      return asName(text);
    case 'command':
      return asCommand(text);
    case 'path':
      return asPath(text);
    case 'url':
      return asUrl(text);
    case 'webhook':
      return asWebhook(text);
    case 'ledger':
      return ledgerPlace(text).kind === 'wrong' ? undefined : text;
    case 'usd':
      return parseUsd(text);
    case 'tokens':
      return parseTokens(text);
  }
}

function expectedOf(type: ScalarType): string {
  switch (type.kind) {
    case 'boolean':
      return 'true or false';
    case 'duration':
      return 'a time with its unit, as 90s, 15m, 8h or 1h30m (at most 24 days)';
    case 'size':
      return 'a size, as 50MiB, 10MB or 4096';
    case 'count':
      return `a whole number, at least ${type.least} and at most ${type.most}`;
    case 'choice':
      return type.of.join(', ').replace(/, ([^,]*)$/, ' or $1');
    case 'line':
      return 'one line of text';
    case 'name':
      return 'a name, which does not begin with -';
    case 'command':
      return 'a shell command';
    case 'path':
      return 'a path inside the repository, relative to its top';
    case 'url':
      return 'an address that begins with http:// or https://';
    case 'webhook':
      return 'an address that begins with http:// or https://, or $NAME for the variable that holds it';
    case 'ledger':
      return understood;
    case 'usd':
      return 'US dollars, as 5 or 0.50';
    case 'tokens':
      return 'a number of tokens, as 200000, 500k or 2M';
  }
}

function asBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  return /^(?:false|no|off)$/i.test(text) ? false : undefined;
}

function asCount(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && number > 0 ? number : undefined;
}

export function asCommand(text: string): string | undefined {
  return text === '' || text.includes('\0') || isNothing(text) ? undefined : text;
}

/** What becomes an argument, and must not be taken for an option. */
export function asName(text: string): string | undefined {
  return text.startsWith('-') ? undefined : asLine(text);
}

function asLine(text: string): string | undefined {
  return text === '' || /\p{Cc}/u.test(text) ? undefined : text;
}

function asUrl(text: string): string | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}

function asWebhook(text: string): string | undefined {
  return /^\$(?:\w+|\{\w+\})$/.test(text) ? text : asUrl(text);
}

function asPath(text: string): string | undefined {
  return text.startsWith('/') ? undefined : asGlob(text.replace(/^(?:\.\/)+/, ''));
}

export function asGlob(text: string): string | undefined {
  const outside = text.split('/').includes('..');
  return text === '' || outside || /\p{Cc}/u.test(text) || isNothing(text) ? undefined : text;
}

function withoutPassword(text: string): string {
  return text.replace(/:\/\/[^/\s]*@/g, '://…@');
}

/** YAML's ways to say nothing, which stay text here. */
function isNothing(text: string): boolean {
  return /^(?:~|null)$/i.test(text);
}

export function bad(node: YamlNode, spot: Spot, expected: string): Read<never> {
  const shown = { text: '', list: 'a list', map: 'a map', nothing: 'nothing' }[node.kind];
  const got = node.kind === 'text' ? quote(withoutPassword(node.text)) : shown;
  const message = `${quote(spot.label)}: expected ${expected}, not ${got}`;
  return { problems: [{ line: spot.line, message }] };
}

/** As `bad`, for what may be a secret: the value is not repeated. */
function unshown({ label, line }: Spot, expected: string): Problem {
  return { line, message: `${quote(label)}: expected ${expected}` };
}

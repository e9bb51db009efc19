/** One value of each type: read, or a problem at its key's line that names the key and what is expected. */
import type { GateConfig, SetupConfig } from './config.ts';
import { quote, type Problem } from '../plan/problem.ts';
import type { YamlMap, YamlNode } from '../plan/yaml-node.ts';
import { agentKeys, gateKeys, setupKeys, type MapKey } from './gate-keys.ts';
import type { ScalarType, ValueType } from './keys.ts';
import { nearest } from './nearest.ts';
import { parseDuration, parseSize } from './units.ts';

/** `value` is absent where there are problems. */
export interface Read<Value> {
  readonly value?: Value;
  readonly problems: readonly Problem[];
}

/** A key as it stands in a file; `label` is how a message names it (`gates[2].timeout`). */
export interface Spot {
  readonly label: string;
  readonly line: number;
}

type Scalar = string | number | boolean;
type Value =
  Scalar | readonly string[] | GateConfig | SetupConfig | readonly (string | GateConfig)[];

export function readValue(type: ValueType, node: YamlNode, spot: Spot): Read<Value> {
  switch (type.kind) {
    case 'globs':
      return readList(node, spot, 'paths or globs, relative to the top of the repository', asGlob);
    case 'commands':
      return readList(node, spot, 'a command or the name of a gate', asCommand);
    case 'gates':
      return readGates(node, spot);
    case 'setup':
      return node.kind === 'map' ? readSetup(node, spot) : readSetupCommand(node, spot);
    case 'agent':
      return readScalar(lineType, node, spot);
    case 'boolean':
    case 'duration':
    case 'size':
    case 'line':
    case 'command':
    case 'path':
    case 'count':
    case 'choice':
      return readScalar(type, node, spot);
  }
}

const commandType = { kind: 'command' } as const;
const lineType = { kind: 'line' } as const;

function readScalar(type: ScalarType, node: YamlNode, spot: Spot): Read<Scalar> {
  const text = node.kind === 'text' ? node.text.trim() : '';
  const value = text === '' ? undefined : scalarOf(type, text);
  return value === undefined ? bad(node, spot, expectedOf(type)) : { value, problems: [] };
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
      return /\p{Cc}/u.test(text) ? undefined : text;
    case 'command':
      return asCommand(text);
    case 'path':
      return asPath(text);
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
    case 'command':
      return 'a shell command';
    case 'path':
      return 'a path inside the repository, relative to its top';
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

function asCommand(text: string): string | undefined {
  return text === '' || text.includes('\0') || isNothing(text) ? undefined : text;
}

function asPath(text: string): string | undefined {
  return text.startsWith('/') ? undefined : asGlob(text.replace(/^(?:\.\/)+/, ''));
}

function asGlob(text: string): string | undefined {
  const outside = text.split('/').includes('..');
  return text === '' || outside || /\p{Cc}/u.test(text) || isNothing(text) ? undefined : text;
}

/** YAML's ways to say nothing, which stay text here. */
function isNothing(text: string): boolean {
  return /^(?:~|null)$/i.test(text);
}

type AsItem = (text: string) => string | undefined;

/** A list, or one item alone. */
function readList(
  node: YamlNode,
  spot: Spot,
  expected: string,
  asItem: AsItem,
): Read<readonly string[]> {
  const items = node.kind === 'list' ? node.items : [node];
  const values = items.map((item) => (item.kind === 'text' ? asItem(item.text.trim()) : undefined));
  const wrong = items.filter((_, index) => values[index] === undefined);
  if (wrong.length === 0)
    return { value: values.filter((value) => value !== undefined), problems: [] };
  return {
    problems: wrong.flatMap((item) => bad(item, { ...spot, line: item.line }, expected).problems),
  };
}

function readGates(node: YamlNode, spot: Spot): Read<readonly (string | GateConfig)[]> {
  const items = node.kind === 'list' ? node.items : [node];
  const reads = items.map((item, index) =>
    readGate(item, { label: `${spot.label}[${index + 1}]`, line: item.line }),
  );
  const problems = reads.flatMap((read) => read.problems);
  if (problems.length > 0) return { problems };
  return { value: reads.flatMap(({ value }) => (value === undefined ? [] : [value])), problems };
}

function readGate(node: YamlNode, spot: Spot): Read<string | GateConfig> {
  if (node.kind === 'map') return readGateMap(node, spot);
  const value = node.kind === 'text' ? asCommand(node.text.trim()) : undefined;
  const expected = 'a command, the name of a gate, or a map with name or run';
  return value === undefined ? bad(node, spot, expected) : { value, problems: [] };
}

function readGateMap(node: YamlMap, spot: Spot): Read<GateConfig> {
  const { value, problems } = readMap(node, gateKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const named = 'name' in value || 'run' in value;
  return named ? { value, problems } : bad(node, spot, 'name or run in it');
}

function readSetupCommand(node: YamlNode, spot: Spot): Read<SetupConfig> {
  const { value, problems } = readScalar(commandType, node, spot);
  return value === undefined ? { problems } : { value: { run: String(value) }, problems };
}

function readSetup(node: YamlMap, spot: Spot): Read<SetupConfig> {
  const { value, problems } = readMap(node, setupKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const { run, ...rest }: Partial<SetupConfig> = value;
  return run === undefined ? bad(node, spot, 'run in it') : { value: { run, ...rest }, problems };
}

/** An agent that is given by its command. */
export function readAgentMap(node: YamlMap, spot: Spot): Read<string> {
  const { value, problems } = readMap(node, agentKeys, spot);
  if (problems.length > 0) return { problems };
  const command = value?.command;
  return command === undefined
    ? bad(node, spot, 'a name, or a map with command in it')
    : { value: command, problems };
}

/** Which type each one has stands in the table of keys. */
interface MapValues extends GateConfig {
  readonly command?: string;
  readonly files?: readonly string[];
}

/** The map's values under the names of its keys; which values a key may have is in its table. */
function readMap(node: YamlMap, keys: readonly MapKey[], spot: Spot): Read<MapValues> {
  const problems: Problem[] = [];
  const values: [string, unknown][] = [];
  for (const entry of node.entries) {
    const inner = { label: `${spot.label}.${entry.key}`, line: entry.line };
    const key = keys.find(({ name }) => name === entry.key);
    if (!key) {
      problems.push(
        unknownKey(
          entry.key,
          inner,
          keys.map(({ name }) => name),
        ),
      );
      continue;
    }
    const read = readValue(key.type, entry.value, inner);
    for (const problem of read.problems) problems.push(problem);
    if (read.value !== undefined) values.push([key.name, read.value]);
  }
  return { value: Object.fromEntries(values), problems };
}

const MOST_LISTED = 10;

export function unknownKey(key: string, spot: Spot, names: readonly string[]): Problem {
  const near = nearest(key.slice(0, 60), names);
  const known =
    names.length > MOST_LISTED
      ? 'schema/config.schema.json has them all'
      : `known are ${names.join(', ')}`;
  const hint = near === undefined ? known : `did you mean \`${near}\`?`;
  return { line: spot.line, message: `unknown key ${quote(spot.label)}: ${hint}` };
}

function bad(node: YamlNode, spot: Spot, expected: string): Read<never> {
  const shown = { text: '', list: 'a list', map: 'a map', nothing: 'nothing' }[node.kind];
  const got = node.kind === 'text' ? quote(node.text) : shown;
  const message = `${quote(spot.label)}: expected ${expected}, not ${got}`;
  return { problems: [{ line: spot.line, message }] };
}

/** One value of each type: read, or a problem at its key's line that names the key and what is expected. */
import type {
  ApiConfig,
  BudgetConfig,
  EnvConfig,
  GateConfig,
  NotifyConfig,
  SetupConfig,
  ShareConfig,
  StageConfig,
} from './config.ts';
import { quote, type Problem } from '../plan/problem.ts';
import type { YamlMap, YamlNode } from '../plan/yaml-node.ts';
import {
  agentKeys,
  budgetKeys,
  envKeys,
  gateKeys,
  notifyKeys,
  setupKeys,
  shareKeys,
  type MapKey,
} from './map-keys.ts';
import { propertyOf, type ValueType } from './keys.ts';
import { nearest } from './nearest.ts';
import { readItems, readList } from './read-list.ts';
import { readStages } from './read-stages.ts';
import {
  asCommand,
  asGlob,
  asName,
  bad,
  readScalar,
  type Read,
  type Scalar,
  type Spot,
} from './read-scalar.ts';

type Value =
  | Scalar
  | readonly string[]
  | GateConfig
  | SetupConfig
  | BudgetConfig
  | EnvConfig
  | readonly NotifyConfig[]
  | readonly ShareConfig[]
  | readonly StageConfig[]
  | readonly (string | GateConfig)[];

export function readValue(type: ValueType, node: YamlNode, spot: Spot): Read<Value> {
  switch (type.kind) {
    case 'globs':
      return readList(node, spot, 'paths or globs, relative to the top of the repository', asGlob);
    case 'commands':
      return readList(node, spot, 'a command or the name of a gate', asCommand);
    case 'lines':
      return readList(node, spot, 'a name, or a list of names', asName);
    case 'gates':
      return readGates(node, spot);
    case 'budget':
      return node.kind === 'map' ? readBudget(node, spot) : readUsd(node, spot);
    case 'env':
      return node.kind === 'map'
        ? readMap(node, envKeys, spot)
        : bad(node, spot, 'a map with allow, deny or not_secret');
    case 'setup':
      return node.kind === 'map' ? readSetup(node, spot) : readSetupCommand(node, spot);
    case 'share':
      return readItems(node, spot, readShared);
    case 'notify':
      return readNotify(node, spot);
    case 'stages':
      return readStages(node, spot, readMap);
    case 'choices':
      return readList(node, spot, type.of.join(', '), (text) =>
        type.of.find((one) => one === text),
      );
    case 'agent':
      return readScalar(lineType, node, spot);
    default:
      return readScalar(type, node, spot);
  }
}

const commandType = { kind: 'command' } as const;
const lineType = { kind: 'line' } as const;

function readNotify(node: YamlNode, spot: Spot): Read<readonly NotifyConfig[]> {
  return readItems(node, spot, readNotifier);
}

function readNotifier(node: YamlNode, spot: Spot): Read<NotifyConfig> {
  if (node.kind === 'map') return readNotifyMap(node, spot);
  const text = node.kind === 'text' ? node.text.trim() : '';
  // No command is an address and nothing more.
  if (/^https?:\/\/\S*$/i.test(text)) return readNotifyAddress(node, spot);
  const command = asCommand(text);
  const expected = 'a shell command, an address, or a map with command or webhook in it';
  return command === undefined ? bad(node, spot, expected) : { value: { command }, problems: [] };
}

function readNotifyAddress(node: YamlNode, spot: Spot): Read<NotifyConfig> {
  const { value, problems } = readScalar({ kind: 'webhook' }, node, spot);
  return value === undefined ? { problems } : { value: { webhook: String(value) }, problems };
}

function readNotifyMap(node: YamlMap, spot: Spot): Read<NotifyConfig> {
  const { value, problems } = readMap(node, notifyKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const isOne = 'command' in value !== 'webhook' in value;
  return isOne ? { value, problems } : bad(node, spot, 'either command or webhook in it');
}

function readGates(node: YamlNode, spot: Spot): Read<readonly (string | GateConfig)[]> {
  return readItems(node, spot, readGate);
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

function readShared(node: YamlNode, spot: Spot): Read<ShareConfig> {
  if (node.kind !== 'map') {
    const { value, problems } = readScalar({ kind: 'path' }, node, spot);
    return value === undefined ? { problems } : { value: { path: String(value) }, problems };
  }
  const { value, problems } = readMap(node, shareKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const { path, ...rest }: Partial<ShareConfig> = value;
  return path === undefined
    ? bad(node, spot, 'path in it')
    : { value: { path, ...rest }, problems };
}

function readUsd(node: YamlNode, spot: Spot): Read<BudgetConfig> {
  const { value, problems } = readScalar({ kind: 'usd' }, node, spot);
  return typeof value === 'number' ? { value: { usd: value }, problems } : { problems };
}

function readBudget(node: YamlMap, spot: Spot): Read<BudgetConfig> {
  const { value, problems } = readMap(node, budgetKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const limited = 'usd' in value || 'tokens' in value;
  return limited ? { value, problems } : bad(node, spot, 'usd or tokens in it');
}

/** An agent that is given by its command, or by the endpoint that the built-in one talks to. */
export type AgentMap = { readonly agentCommand: string } | { readonly agentApi: ApiConfig };

export function readAgentMap(node: YamlMap, spot: Spot): Read<AgentMap> {
  const { value, problems } = readMap(node, agentKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const { command, api, ...rest } = value;
  if (command !== undefined && Object.keys(value).length === 1)
    return { value: { agentCommand: command }, problems };
  if (api !== undefined && command === undefined)
    return { value: { agentApi: { api, ...rest } }, problems };
  return bad(node, spot, 'a name, or a map with either command or api in it');
}

/** Which type each one has stands in the table of keys. */
interface MapValues
  extends
    GateConfig,
    BudgetConfig,
    EnvConfig,
    NotifyConfig,
    Partial<ApiConfig>,
    Omit<Partial<StageConfig>, 'name' | 'model'>,
    Partial<ShareConfig> {
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
    if (read.value !== undefined) values.push([propertyOf(key.name), read.value]);
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

import { readYamlFile } from '../plan/yaml-file.ts';
import { byLine, type Problem } from '../plan/problem.ts';
import type { YamlEntry, YamlMap } from '../plan/yaml-node.ts';
import type { Config } from './config.ts';
import { agentKeys } from './gate-keys.ts';
import { configKeys, propertyOf, type Place } from './keys.ts';
import { readMap, readValue, unknownKey } from './read-value.ts';

export interface ConfigReading {
  /** The valid keys. */
  readonly config: Config;
  readonly problems: readonly Problem[];
}

/**
 * Reads `.skeleton.yml`, or, by any other name, the user's own `config.yml`, where `tasks` and `gates` make no sense. Every
 * problem is found, none is thrown.
 */
export function readProjectConfig(bytes: Uint8Array, path: string): ConfigReading {
  const place = /(?:^|\/)\.skeleton\.ya?ml$/.test(path) ? 'project' : 'user';
  const { map, problems } = readYamlFile(bytes);
  const reading = readConfig(map, place);
  return { config: reading.config, problems: byLine([...problems, ...reading.problems]) };
}

/** The keys of one layer, each against its type and its place. */
export function readConfig(map: YamlMap, place: Exclude<Place, 'task'>): ConfigReading {
  const values: [string, unknown][] = [];
  const problems: Problem[] = [];
  for (const entry of map.entries) {
    const { read, property } = readEntry(entry, place);
    for (const problem of read.problems) problems.push(problem);
    if (read.value !== undefined) values.push([property, read.value]);
  }
  // Which type a property has stands in the table of keys; a test compares the two.
  const config = Object.fromEntries(values) as Config;
  return { config, problems: [...problems, ...twoAgents(config, map)] };
}

interface EntryReading {
  readonly property: string;
  readonly read: { readonly value?: unknown; readonly problems: readonly Problem[] };
}

function readEntry(entry: YamlEntry, place: Place): EntryReading {
  const property = propertyOf(entry.key);
  const spot = { label: entry.key, line: entry.line };
  const key = configKeys.find(({ name }) => name === entry.key);
  if (!key?.places.includes(place)) {
    return { property, read: { problems: [misplaced(entry, place)] } };
  }
  if (key.type.kind === 'agent' && entry.value.kind === 'map') {
    const { value, problems } = readMap(entry.value, agentKeys, spot);
    return { property: 'agentCommand', read: { value: value?.command, problems } };
  }
  return { property, read: readValue(key.type, entry.value, spot) };
}

/** An unknown key, or one that belongs elsewhere. */
function misplaced(entry: YamlEntry, place: Place): Problem {
  const spot = { label: entry.key, line: entry.line };
  const key = configKeys.find(({ name }) => name === entry.key);
  if (key && place === 'user') {
    return at(
      spot.line,
      `\`${key.name}\` belongs into the plan or .skeleton.yml, not into the user's file`,
    );
  }
  if (key || taskFields.includes(entry.key)) {
    return at(spot.line, `unknown key \`${entry.key}\`: it belongs to a task, on a line under it`);
  }
  const here = configKeys.filter(({ places }) => places.includes(place));
  return unknownKey(
    entry.key,
    spot,
    here.map(({ name }) => name),
  );
}

const taskFields = ['id', 'needs', 'depends', 'depends_on', 'files'];

function twoAgents(config: Config, map: YamlMap): readonly Problem[] {
  if (config.agent === undefined || config.agentCommand === undefined) return [];
  const lines = map.entries
    .filter(({ key }) => key === 'agent' || key === 'agent_command')
    .map(({ line }) => line);
  return [at(Math.max(...lines), '`agent` and `agent_command` exclude each other: keep one')];
}

function at(line: number, message: string): Problem {
  return { line, message };
}

import { readYamlFile } from '../plan/yaml-file.ts';
import { byLine, type Problem } from '../plan/problem.ts';
import type { YamlEntry, YamlMap } from '../plan/yaml-node.ts';
import type { Config } from './config.ts';
import { configKeys, propertyOf, type Place } from './keys.ts';
import { readAgentMap, readValue, unknownKey } from './read-value.ts';

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
    const read = readEntry(entry, place);
    for (const problem of read.problems) problems.push(problem);
    for (const value of read.values) values.push(value);
  }
  // Which type a property has stands in the table of keys; a test compares the two.
  const config = Object.fromEntries(values) as Config;
  return { config, problems: [...problems, ...twoAgents(map)] };
}

interface EntryReading {
  readonly values: readonly [property: string, value: unknown][];
  readonly problems: readonly Problem[];
}

function readEntry(entry: YamlEntry, place: Place): EntryReading {
  const spot = { label: entry.key, line: entry.line };
  const key = configKeys.find(({ name }) => name === entry.key);
  if (!key?.places.includes(place)) return { values: [], problems: [misplaced(entry, place)] };
  if (key.type.kind === 'agent' && entry.value.kind === 'map') {
    const { value, problems } = readAgentMap(entry.value, spot);
    return { values: Object.entries(value ?? {}), problems };
  }
  const { value, problems } = readValue(key.type, entry.value, spot);
  return { values: value === undefined ? [] : [[propertyOf(entry.key), value]], problems };
}

/** An unknown key, or one that belongs elsewhere. */
function misplaced({ key: name, line }: YamlEntry, place: Place): Problem {
  const { places = [], why } = configKeys.find((key) => key.name === name) ?? {};
  const home = taskFields.includes(name)
    ? 'task'
    : (places.find((one) => one === 'plan') ?? places[0]);
  if (home !== undefined)
    return at(
      line,
      `unknown key \`${name}\` here: it belongs ${homes[home]}${why === undefined ? '' : ` (${why})`}`,
    );
  const here = configKeys.filter((key) => key.places.includes(place));
  return unknownKey(
    name,
    { label: name, line },
    here.map((key) => key.name),
  );
}

const taskFields = ['id', 'needs', 'depends', 'depends_on', 'files'];

const homes: Readonly<Record<Place, string>> = {
  task: 'to a task, on a line under it',
  plan: "in the plan's front matter",
  project: 'in .skeleton.yml',
  user: "in the user's own file",
};

function twoAgents({ entries }: YamlMap): readonly Problem[] {
  const agents = entries.filter(({ key }) => key === 'agent' || key === 'agent_command');
  const second = agents[1];
  if (!second) return [];
  return [at(second.line, '`agent` and `agent_command` exclude each other: keep one')];
}

function at(line: number, message: string): Problem {
  return { line, message };
}

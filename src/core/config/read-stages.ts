import type { YamlMap, YamlNode } from '../plan/yaml-node.ts';
import { stageProblems } from '../stages/stages.ts';
import type { StageConfig } from './config.ts';
import { stageKeys, type MapKey } from './map-keys.ts';
import { readItems } from './read-list.ts';
import { bad, readScalar, type Read, type Spot } from './read-scalar.ts';

/** Reads a map by the table of its keys. */
type ReadMap = (node: YamlMap, keys: readonly MapKey[], spot: Spot) => Read<Partial<StageConfig>>;

/** Names alone may also stand in a row: `implement, review`. */
export function readStages(
  node: YamlNode,
  spot: Spot,
  readMap: ReadMap,
): Read<readonly StageConfig[]> {
  const { line } = node;
  const row = node.kind === 'text' ? node.text.split(',').map((text) => ({ ...node, text })) : [];
  const read = readItems(
    row.length > 0 ? { kind: 'list', items: row, line } : node,
    spot,
    (item, at) => readStage(item, at, readMap),
  );
  if (read.value === undefined) return { problems: read.problems };
  const problems = stageProblems(read.value, spot, spot.ofTask);
  return problems.length > 0 ? { problems } : { value: read.value, problems };
}

function readStage(node: YamlNode, spot: Spot, readMap: ReadMap): Read<StageConfig> {
  if (node.kind !== 'map') {
    const { value, problems } = readScalar({ kind: 'name' }, node, spot);
    return value === undefined
      ? { problems }
      : { value: { name: String(value), line: node.line }, problems };
  }
  const { value, problems } = readMap(node, stageKeys, spot);
  if (value === undefined || problems.length > 0) return { problems };
  const { name, ...rest }: Partial<StageConfig> = value;
  return name === undefined
    ? bad(node, spot, 'name in it')
    : { value: { name, ...rest, line: node.line }, problems };
}

import type { YamlNode } from '../plan/yaml-node.ts';
import { bad, type Read, type Spot } from './read-scalar.ts';

type AsItem = (text: string) => string | undefined;

/** A list, or one item alone. */
export function readList(
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

/** A list of things that may be maps, or one alone. */
export function readItems<T>(
  node: YamlNode,
  spot: Spot,
  readItem: (node: YamlNode, spot: Spot) => Read<T>,
): Read<readonly T[]> {
  const items = node.kind === 'list' ? node.items : [node];
  const reads = items.map((item, index) =>
    readItem(item, { label: `${spot.label}[${index + 1}]`, line: item.line }),
  );
  const problems = reads.flatMap((read) => read.problems);
  if (problems.length > 0) return { problems };
  return { value: reads.flatMap(({ value }) => (value === undefined ? [] : [value])), problems };
}

import { readLines } from './lines.ts';
import { readYaml, type YamlReading } from './yaml.ts';

/** A file of nothing but YAML; one `---` line at its top is usual and means nothing. Never throws. */
export function readYamlFile(bytes: Uint8Array): YamlReading {
  const { all } = readLines(bytes);
  const marker = all.findIndex((line) => !/^[ \t]*(?:#|$)/.test(line));
  const skip = /^---[ \t]*$/.test(all[marker] ?? '') ? marker + 1 : 0;
  return readYaml(all.slice(skip), skip + 1);
}

/** A YAML document as a tree that knows its lines. Every scalar is the text that was written. */
export type YamlNode = YamlText | YamlList | YamlMap | YamlNothing;

export interface YamlText {
  readonly kind: 'text';
  readonly text: string;
  readonly line: number;
}

export interface YamlList {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly line: number;
}

export interface YamlMap {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
  readonly line: number;
}

/** `key:` with nothing after it. */
export interface YamlNothing {
  readonly kind: 'nothing';
  readonly line: number;
}

export interface YamlEntry {
  readonly key: string;
  /** Of the key; 1-based, in the file's own lines. */
  readonly line: number;
  readonly column: number;
  readonly value: YamlNode;
}

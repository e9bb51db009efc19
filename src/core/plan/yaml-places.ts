import type { Problem } from './problem.ts';

/** 1-based, in the file's own lines. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What we read of js-yaml's state when it opens or closes a node (lib/js-yaml/loader.js, `composeNode`). Its lines count from 0. */
export interface Composer {
  readonly input: string;
  readonly position: number;
  readonly line: number;
  readonly lineStart: number;
  readonly kind: string | null;
  readonly anchor: string | null;
  readonly result: unknown;
}

/** Where the keys of each map and the items of each list stand, noted while js-yaml reads; its result has no places. */
export interface YamlPlaces {
  readonly note: (event: 'open' | 'close', composer: Composer) => void;
  readonly keyOf: (map: object, key: string) => Place | undefined;
  readonly itemOf: (list: object, index: number) => Place | undefined;
  /** Anchors are refused: by way of them a few lines become gigabytes. */
  readonly anchors: readonly Problem[];
}

interface Node extends Place {
  readonly keys: Map<string, Place>;
  readonly inner: Place[];
}

/** `shift`: what to add to a line of js-yaml's to get the file's. */
export function yamlPlaces(shift: number): YamlPlaces {
  const open: Node[] = [];
  const nodes = new Map<object, Node>();
  const anchors: Problem[] = [];

  const begin = ({ line, position, lineStart }: Composer): void => {
    const place = { line: line + shift, column: position - lineStart + 1 };
    open.at(-1)?.inner.push(place);
    open.push({ ...place, keys: new Map(), inner: [] });
  };
  const end = (composer: Composer): void => {
    const node = open.pop();
    if (!node) return;
    const { line, column } = node;
    if (composer.anchor !== null) {
      anchors.push({
        line,
        column,
        message: 'anchors and aliases are not read: write the value again',
      });
    }
    if (typeof composer.result === 'object' && composer.result !== null) {
      nodes.set(composer.result, node);
    } else if (typeof composer.result === 'string' && isKey(composer)) {
      open.at(-1)?.keys.set(composer.result, { line, column });
    }
  };
  return {
    note: (event, composer) => (event === 'open' ? begin(composer) : end(composer)),
    keyOf: (map, key) => nodes.get(map)?.keys.get(key),
    itemOf: (list, index) => nodes.get(list)?.inner[index],
    anchors,
  };
}

/** A scalar right before a colon is a key: after a value, a colon would be an error. */
function isKey({ input, position }: Composer): boolean {
  let at = position;
  while (input[at] === ' ') at += 1;
  return input[at] === ':';
}

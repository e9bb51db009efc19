import { makefiles } from '../gate-holes.ts';
import { stacks, type Stack } from './stacks.ts';

/** The top of a work tree, as far as it is looked at. */
export interface TopFacts {
  /** Names of the regular files there. */
  readonly files: ReadonlySet<string>;
  /** What stands in those that are read: package.json, a makefile, .gitignore. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths of manifests in folders below. */
  readonly below: readonly string[];
  /** Paths of all files there, as deep as it is looked. */
  readonly near: readonly string[];
}

const read: readonly string[] = [
  ...['package.json', '.gitignore', 'pyproject.toml', 'setup.py', 'setup.cfg', 'go.mod', 'go.work'],
  ...makefiles,
];

/** Of whose text something is decided. */
export function isRead(name: string): boolean {
  return read.includes(name) || isRequirements(name);
}

/** What pip reads, for running or for testing. */
export function isRequirements(name: string): boolean {
  return /^(?:(?:dev|tests?|ci)[-_])?requirements(?:[-_.](?:dev|tests?|ci))?\.txt$/.test(name);
}

/**
 * All that the top is built with. A makefile counts where it has a target that judges, or where there is nothing else: in
 * most projects of another stack it only holds shortcuts.
 */
export function findStacks({ files, texts }: TopFacts): readonly Stack[] {
  const found = stacks.filter(({ signs }) => signs.some((sign) => files.has(sign)));
  return found.length === 1 || hasTestTarget(texts)
    ? found
    : found.filter(({ name }) => name !== 'make');
}

/** A target `test` or `check` in the makefile that make takes. */
export function hasTestTarget(texts: TopFacts['texts']): boolean {
  const text = texts.get(makefileOf(texts) ?? '') ?? '';
  return /^(?:[\w.-]+[ \t]+)*(?:test|check)(?:[ \t]+[\w.-]+)*[ \t]*::?(?!=)/m.test(text);
}

/** Makefiles are all read. */
export function makefileOf(texts: TopFacts['texts']): string | undefined {
  return makefiles.find((name) => texts.has(name));
}

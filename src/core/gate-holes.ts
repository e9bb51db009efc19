import { pathMatcher } from './globs.ts';

/** A gate's own text: its shell command, or the content of its script. */
export interface GateText {
  readonly name: string;
  readonly text: string;
}

/** Tools whose verdict rests on files that an agent may rewrite. */
const restsOn: readonly (readonly [tool: RegExp, files: readonly string[]])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, ['package.json']],
  [/\bmake\b/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/\bjust\b/, ['justfile', 'Justfile']],
  [/\btox\b/, ['tox.ini']],
  [/\bpytest\b/, ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'conftest.py']],
  [/\bvitest\b/, ['vitest.config.ts', 'vitest.config.js', 'vitest.config.mjs', 'vite.config.ts']],
  [/\bjest\b/, ['jest.config.ts', 'jest.config.js', 'jest.config.mjs', 'jest.config.json']],
  [/\bmocha\b/, ['.mocharc.yml', '.mocharc.json', '.mocharc.cjs', '.mocharc.js']],
  [/\beslint\b/, ['eslint.config.js', 'eslint.config.mjs', 'eslint.config.ts']],
  [/\btsc\b/, ['tsconfig.json']],
  [/\bcargo\b/, ['Cargo.toml', '.cargo/config.toml']],
  [/\bmvn\b/, ['pom.xml']],
  [/\bgradlew?\b/, ['build.gradle', 'build.gradle.kts']],
];

const pathWord =
  /[\w@%+=:.-]*[\w.-]\/[\w@%+=:./-]*\w|[\w.-]+\.(?:sh|bash|mjs|cjs|js|ts|py|rb|pl)\b/g;

const interpreters = /^(?:sh|bash|dash|zsh|ksh|node|bun|deno|tsx|python[\d.]*|ruby|perl|php)$/;

/**
 * The script that a gate's command starts, where that is plain to see: its first word, or the first one after an
 * interpreter. Such a script is the gate itself, wherever it lies: no attempt may change it.
 */
export function scriptNamedBy(command: string): string | undefined {
  const [first = '', ...rest] = command.trim().split(/\s+/);
  const word = interpreters.test(first) ? rest.find((text) => !text.startsWith('-')) : first;
  if (word === undefined || !/^[\w.@%+-]+(?:\/[\w.@%+-]+)*$/.test(word)) return undefined;
  const path = word.replace(/^(?:\.\/)+/, '');
  return word === first && !word.includes('/') ? undefined : path;
}

/** Files that a gate may rest on, as far as its text tells: some may not exist. Scripts it calls first, then configuration. */
export function filesBehind({ text }: GateText): readonly string[] {
  const code = text.replace(/^\s*#.*$/gm, '');
  const named = (code.match(pathWord) ?? []).map((word) => word.replace(/^\.\//, ''));
  const tools = restsOn.flatMap(([tool, files]) => (tool.test(code) ? files : []));
  return [...new Set([...named, ...tools])];
}

/**
 * What `protect:` does not list although a gate rests on it (contract, "The three promises": a gate is as strong as what it
 * calls). One sentence a gate.
 */
export function holesIn(
  gates: readonly GateText[],
  protect: readonly string[],
  exists: (path: string) => boolean,
): readonly string[] {
  const isProtected = pathMatcher([...protect, 'gates', '.skeleton', '.skeleton.yml']);
  return gates.flatMap((gate) => {
    const itself = scriptNamedBy(gate.text);
    const isOpen = (path: string): boolean => path !== itself && exists(path) && !isProtected(path);
    const open = filesBehind(gate).filter(isOpen);
    if (open.length === 0) return [];
    return `gate ${gate.name} rests on ${open.join(', ')}, which an agent may rewrite: add to protect: [${open.join(', ')}]`;
  });
}

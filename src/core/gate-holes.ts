import { globOf, pathMatcher } from './globs.ts';

/** A gate's own text: its shell command, or the content of its script. */
export interface GateText {
  readonly name: string;
  readonly text: string;
}

/** In the order in which make looks for them: a new one goes before those that follow. */
export const makefiles: readonly string[] = ['GNUmakefile', 'makefile', 'Makefile'];

/** Tools whose verdict rests on files that an agent may rewrite. */
const restsOn: readonly (readonly [tool: RegExp, files: readonly string[]])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, ['package.json']],
  [/\bmake\b/, makefiles],
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
  /[\w@%+=:.-]*[\w.-]\/[\w@%+=:./-]*\w|[\w.-]+\.(?:sh|bash|mjs|cjs|js|ts|py|rb|pl|mk)\b/g;

/** One word as a shell reads it, quotes and backslashes included: some name of a file is always in need of them. */
const shellWord = /(?:[^\s"'\\;|&<>()`$]|\\[^\n]|"[^"\n]*"|'[^'\n]*')+/g;
const LONGEST_PATH = 200;

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

/**
 * Files that a gate, a script of package.json or a makefile may rest on, as far as its text tells: some may not exist.
 * Scripts it calls first, then configuration.
 */
export function filesBehind({ text }: Pick<GateText, 'text'>): readonly string[] {
  const code = text.replace(/^\s*#.*$/gm, '');
  const words = (code.match(pathWord) ?? []).flatMap(withoutPrefix).map(withoutDot);
  const named = [...words, ...belowFolders(code, words)];
  const tools = restsOn.flatMap(([tool, files]) => (tool.test(code) ? files : []));
  return [...new Set([...named, ...quotedPaths(code), ...madeBy(code), ...tools])];
}

/** `@./t.sh` in a makefile is `./t.sh` that is not printed (make(1), recipes: `@`, `-`, `+`). */
function withoutPrefix(word: string): readonly string[] {
  const bare = word.replace(/^[@+-]+/, '');
  return bare === word ? [word] : [bare, word];
}

/** `cd scripts && ./t.sh`. */
function belowFolders(code: string, words: readonly string[]): readonly string[] {
  const folders = [...code.matchAll(/\bcd\s+(?:\.\/)*([\w.-]+(?:\/[\w.-]+)*)/g)].map(
    ([, to]) => to,
  );
  return [...new Set(folders)].flatMap((folder) => words.map((word) => `${folder}/${word}`));
}

function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** Words that only a shell can tell from the rest: with blanks, quotes or brackets in them. */
function quotedPaths(code: string): readonly string[] {
  const isPath = (word: string): boolean =>
    word.length <= LONGEST_PATH &&
    /^[^/-][^\n]*(?:\/[^/]|\.\w+$)/.test(word) &&
    !/(?:^|\/)\.\.(?:\/|$)|[\^|$]/.test(word);
  return (code.match(shellWord) ?? [])
    .filter((word) => /["'\\[\]{}!,~]/.test(word))
    .map((word) => withoutDot(word.replace(/"([^"]*)"|'([^']*)'|\\(.)/g, '$1$2$3')))
    .filter(isPath);
}

/** What a makefile includes, and the makefiles of the folders it goes to. */
function madeBy(code: string): readonly string[] {
  const included = [...code.matchAll(/^[ ]*[-s]?include[ \t]+([^#\n]+)/gm)].flatMap(([, words]) =>
    (words ?? '').trim().split(/\s+/),
  );
  const folders = [...code.matchAll(/(?:\bmake\b|\$[({]MAKE[)}])[^\n;&|]*?\s-C[ \t]*([\w./-]+)/g)];
  return [
    ...included.filter((word) => /^[\w][\w./-]*$/.test(word)),
    ...folders.flatMap(([, folder]) =>
      makefiles.map((name) => `${withoutDot(folder ?? '')}/${name}`),
    ),
  ];
}

/** Where one makefile is there, another that goes before it is as good as there. */
export function mattersWhere(exists: (path: string) => boolean): (path: string) => boolean {
  return (path) => {
    const [, folder = '', name = ''] = /^(.*\/)?([^/]+)$/.exec(path) ?? [];
    if (!makefiles.includes(name)) return exists(path);
    return makefiles.some((one) => exists(folder + one));
  };
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
  const matters = mattersWhere(exists);
  return gates.flatMap((gate) => {
    const itself = scriptNamedBy(gate.text);
    const isOpen = (path: string): boolean =>
      path !== itself && matters(path) && !isProtected(path);
    const open = filesBehind(gate).filter(isOpen);
    if (open.length === 0) return [];
    return `gate ${gate.name} rests on ${open.join(', ')}, which an agent may rewrite: add to protect: [${open.map(listed).join(', ')}]`;
  });
}

/** As an entry of a list in YAML. */
function listed(path: string): string {
  const glob = globOf(path);
  return /^[\w.][\w ./-]*$/.test(glob) ? glob : `'${glob.replaceAll("'", "''")}'`;
}

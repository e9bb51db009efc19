import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a completed '));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'skeleton'), answering, { mode: 0o755 });
  writeFileSync(join(folder, 'PLAN.md'), '- [ ] A {#parser}\n- [ ] B {#lexer}\n- [ ] C {#a;b}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function printed(...argv: readonly string[]): Promise<string> {
  const io = fakeIo({ argv, cwd: folder, env: process.env });
  expect(await runProgram(io, '1.2.3')).toBe(0);
  return io.stdout();
}

test('--tasks prints ids that need no quoting, and nothing where there is no plan', async () => {
  expect(await printed('completion', '--tasks')).toBe('parser\nlexer\n');
  expect(await printed('completion', '--tasks', '--plan', 'other.md')).toBe('');
});

/** What each shell makes of words typed so far, the last of them cut off. */
const typed: readonly (readonly [string, readonly string[]])[] = [
  ['sta', ['status']],
  ['run --attemp', ['--attempts']],
  ['run pars', ['parser']],
  ['run --from lex', ['lexer']],
  ['report --format ju', ['junit']],
  ['completion fi', ['fish']],
  ['status --js', ['--json']],
  ['run --no-gates pars', ['parser']],
  ['run --plan docs/Q.md plan', ['planned']],
  ['run --plan=docs/Q.md plan', ['planned']],
  [String.raw`-C a\ b run spac`, ['spaced']],
  ['-C "a b" run spac', ['spaced']],
  ['-C ~/p run home', ['homely']],
];

/** In place of the command: which tasks there are, by where it is asked. */
const answering = `#!/bin/sh
case "$*" in
  *'-C a b'*) echo spaced ;;
  *"-C $HOME/p"*) echo homely ;;
  *--plan?docs/Q.md*) echo planned ;;
  *) echo parser; echo lexer ;;
esac
`;

/** As bash has them in COMP_WORDS: as they were typed, `--option=value` in three. */
function rawWords(line: string): string {
  const words = line.match(/(?:\\.|"[^"]*"|[^\s\\"])+|(?<= )$/g) ?? [];
  return words
    .flatMap((word) => word.split(/(=)/))
    .map((word) => `'${word}'`)
    .join(' ');
}

/** Reads the words of lines from what it prints after its script. */
const shells = {
  bash: (line: string) => `source ./script.bash
    compopt() { :; }; COMP_WORDS=(skeleton ${rawWords(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _skeleton; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (line: string) => `source ./script.fish
    complete -C 'skeleton ${line}' | cut -f1`,
  zsh: (line: string) => `zmodload zsh/zpty; zpty -b z zsh -f -i
    zpty -w z 'PROMPT=; RPROMPT=; autoload -U compinit; compinit -u -D; source ./script.zsh; show() { print -r -- "<""<\${BUFFER% }>"">"; }; zle -N show; bindkey "^I" complete-word "^X" show; echo REA""DY'
    zpty -r -m z r '*READY*'; zpty -w -n z 'skeleton ${line}'$'\\t'$'\\C-x'; zpty -r -m z r '*<<*>>*'
    print -r -- "\${\${\${r##*<<}%%>>*}##* }"`,
} as const;

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.log(`completion in ${shell} is not tested: ${shell} is not installed`);
  else
    describe(`in ${shell}`, () => {
      const own: typeof typed = shell === 'fish' ? [['show run --attemp', ['']]] : [];
      test.each([...typed, ...own])('%s', async (line, words) => {
        writeFileSync(join(folder, `script.${shell}`), await printed('completion', shell));
        const flags = shell === 'zsh' ? ['-f'] : [];
        const { stdout } = spawnSync(shell, [...flags, '-c', shells[shell](line)], {
          cwd: folder,
          env: { ...process.env, PATH: `${folder}/bin:${process.env['PATH'] ?? ''}` },
          encoding: 'utf8',
          timeout: 10_000,
        });
        // Zsh puts `=` after an option that takes a value, and takes it away again before a blank.
        const given = stdout.trim().replace(/=$/, '');
        expect(given.split('\n')).toEqual(words);
      });
    });
}

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileSources } from '../../support/compiled-sources.ts';
import { anAttempt, planBefore, someRules } from '../../support/git-lab.ts';

/**
 * Modes stop everybody but root, and the suite may be running as root: then a process that has shed that is started, in a
 * folder that it can reach.
 */
const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const shed = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups'];

let folder: string;
let compiled: string;
let why: string | undefined;

beforeAll(async () => {
  const place = realpathSync(isRoot ? '/tmp' : tmpdir());
  folder = mkdtempSync(join(place, 'closed files '));
  compiled = join(folder, 'compiled');
  const made = await compileSources(['src/git/workspace.ts', 'src/git/rescue.ts']);
  cpSync(made, compiled, { recursive: true, verbatimSymlinks: true });
  rmSync(made, { recursive: true });
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home'));
  writeFileSync(
    join(folder, 'home/gitconfig'),
    '[user]\n\tname = N\n\temail = n@example.invalid\n',
  );
  if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, folder]);
  why = reasonToSkip();
});
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true, force: true });
});

function reasonToSkip(): string | undefined {
  const { status, stderr, error } = run(
    `await import(${JSON.stringify(join(compiled, 'src/git/workspace.js'))})`,
  );
  if (status === 0) return undefined;
  return `no process without root's rights can be started here: ${error?.message ?? stderr}`;
}

function run(script: string): {
  status: number | null;
  stdout: string;
  stderr: string;
  error?: Error;
} {
  const node = [process.execPath, '--input-type=module', '-e', script];
  const [file = '', ...args] = isRoot ? ['setpriv', ...shed, ...node] : node;
  const env = {
    ...process.env,
    HOME: join(folder, 'home'),
    TMPDIR: folder,
    GIT_CONFIG_GLOBAL: join(folder, 'home/gitconfig'),
  };
  return spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
}

const rules = someRules();

/** An attempt from begin to rollback by such a process; gives what it saw. */
function story(name: string, damage: string): Record<string, unknown> {
  const script = `
    const { execFileSync } = await import('node:child_process');
    const { mkdirSync, writeFileSync } = await import('node:fs');
    const { openWorkspace } = await import(${JSON.stringify(join(compiled, 'src/git/workspace.js'))});
    const top = ${JSON.stringify(join(folder, name))};
    mkdirSync(top);
    const sh = (script) => execFileSync('bash', ['-ec', script], { cwd: top, encoding: 'utf8' });
    writeFileSync(top + '/PLAN.md', ${JSON.stringify(planBefore)});
    sh('git init -q -b main; mkdir src; echo a > src/a; echo r > README; echo s > secret; chmod 600 secret; git add -A; git commit -qm first');
    const look = () => sh('find . -path ./.git -prune -o -printf "%p %y %m\\n" | sort; cat README secret src/a; git status --porcelain');
    const rules = ${JSON.stringify(rules)};
    Object.assign(rules.plan, { before: Buffer.from(rules.plan.before.data), ticked: Buffer.from(rules.plan.ticked.data) });
    rules.plan.differsInMarksOnly = () => false;
    const id = ${JSON.stringify(anAttempt)};
    const before = look();
    const workspace = await openWorkspace({ cwd: top });
    await workspace.begin(id, rules);
    sh(${JSON.stringify(damage)});
    const seen = await workspace.inspect(id, rules);
    const { snapshot } = await workspace.rollBack(id);
    const kept = sh('git ls-tree -r --name-only ' + snapshot.ref + '; cd .git/skeleton; find quarantine -printf "%P\\n" 2>/dev/null || true');
    console.log(JSON.stringify({ seen, before, after: look(), kept }));`;
  const { status, stdout, stderr } = run(script);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** What is done, what is refused for it, and where it is kept: in the snapshot or, with a slash at its front, in the quarantine. */
const cases: readonly (readonly [string, string, string, string])[] = [
  ['a new file of mode 000', 'echo n > new; chmod 000 new', 'new', '/new'],
  ['a tracked file of mode 000', 'echo x > README; chmod 000 README', 'README', 'README'],
  ['a new folder of mode 000', 'mkdir d; echo x > d/x; chmod 000 d', 'd', '/d'],
  ['a tracked folder of mode 000', 'echo x > src/a; chmod 000 src', 'src', 'src/a'],
  ['a folder that cannot be entered', 'echo x > src/a; chmod 600 src', 'src', 'src/a'],
  [
    'a FIFO in a folder that cannot be written',
    'mkdir p; mkfifo p/pipe; chmod 555 p',
    'p/pipe',
    '/p/pipe',
  ],
];

test.each(cases)('%s is refused by name, kept, and rolled back', (name, damage, path, kept) => {
  if (why !== undefined) {
    console.warn(`skipped: ${why}`);
    return;
  }
  const seen = story(name, damage);
  expect(seen['seen']).toMatchObject({
    kind: 'refused',
    failure: { kind: 'unaddable', paths: [path] },
  });
  expect(seen['after']).toBe(seen['before']);
  expect(seen['kept']).toContain(kept.startsWith('/') ? `plan/one/1/tree${kept}\n` : `${kept}\n`);
});

import type { DrillKind } from '../core/drill.ts';
import { damages } from './damages.ts';
import { storyOf } from './misdeeds.ts';

/** Something to be done to a clone, as a bash script in its work tree. */
export interface ScriptedKind extends DrillKind {
  readonly script: string;
  /** The loop is killed with -9: while the agent works (its script done), or while a gate judges. */
  readonly killed?: 'agent' | 'gate' | 'twice';
}

/** A commit as one of ours looks: the box ticked, the trailers written, the tag set. */
const forge = `sed -i 's/\\[ \\] One/[x] One/' PLAN.md; echo forged > forged.txt; git add -A
git commit -qnm 'One

Skeleton-Run: 20260101T000000Z-00000000
Skeleton-Task: one
Skeleton-Attempt: 1
Skeleton-Agent: vandal
Skeleton-Gates: skeleton-drill.sh=pass (0.1 s)'
git tag skeleton/plan/0001-one`;

const forgedRows = `python3 - <<'END'
import sqlite3
ledger = sqlite3.connect('.git/skeleton/ledger.db', timeout=5)
ledger.execute("""update event set type = 'task.finished',
  body = '{"type":"task.finished","task":"one","state":"passed"}' where type = 'task.started'""")
ledger.execute("delete from event where type = 'attempt.started'")
ledger.commit()
END`;

const forgeries: readonly ScriptedKind[] = [
  forgery(
    'every gate rewritten to exit 0',
    `for gate in gates/*; do printf '#!/bin/sh\\nexit 0\\n' > "$gate"; done; echo x > new`,
  ),
  forgery(
    'gates taken out of the configuration',
    `sed -i 's/^gates:.*/gates: "true"/; s/^attempts:.*/no_gates: true/' PLAN.md; echo 'gates: "true"' > .skeleton.yml; echo x > new`,
  ),
  forgery('box, trailers and tag forged', forge),
  forgery(
    'a proof forged',
    `${forge}; git update-ref refs/skeleton/proof/plan/0001 HEAD; git gc -q --force --prune=now`,
  ),
  forgery('a pass written into the ledger', `echo x > new; ${forgedRows}`),
  {
    ...forgery('all of it forged, then the loop killed', forge),
    killed: 'agent',
  },
];

const processes: readonly ScriptedKind[] = [
  daemon('a session of its own', 'setsid sleep 600 >/dev/null 2>&1 &'),
  daemon('a double fork', '(setsid sh -c "sleep 600 & exit" >/dev/null 2>&1 &)'),
  daemon('nohup', 'nohup sleep 600 >/dev/null 2>&1 &'),
  daemon(
    'deaf to TERM, holding the output open',
    `setsid bash -c 'trap "" TERM HUP INT; while :; do sleep 1; done' &`,
  ),
];

const kills: readonly ScriptedKind[] = [
  kill(
    'killed while the agent works',
    'agent',
    'echo half > README.md; echo x > new; rm .gitignore',
  ),
  kill(
    'killed after the agent committed and switched',
    'agent',
    'echo x > new; git add -A; git commit -qnm theirs; git checkout -q -b elsewhere; echo y > new',
  ),
  kill('killed while a gate judges', 'gate', 'echo x > new'),
  kill('killed, and killed again on the way back', 'twice', 'echo x > new; rm README.md'),
];

/** Every kind there is, in the order in which they are tried. */
export const kinds: readonly ScriptedKind[] = [
  ...damages.map(([name, script]): ScriptedKind => ({ name, group: 'damage', script })),
  ...processes,
  ...forgeries,
  ...kills,
];

/** Attempts of one to six misdeeds drawn by chance, each as far as it gets; the same number is the same story. */
export function randomKinds(count: number): readonly ScriptedKind[] {
  return Array.from({ length: count }, (_, index) => {
    const { kinds: names, scripts } = storyOf(index + 1);
    const script = scripts.map((one) => `(timeout 10 bash -c ${quoted(one)}) || true`).join('\n');
    return { name: `random ${index + 1}: ${names.join(', ')}`, group: 'damage', script };
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function forgery(name: string, script: string): ScriptedKind {
  return { name, group: 'forgery', script };
}

function daemon(name: string, script: string): ScriptedKind {
  return { name: `a process left: ${name}`, group: 'processes', script: `echo x > new; ${script}` };
}

function kill(
  name: string,
  killed: NonNullable<ScriptedKind['killed']>,
  script: string,
): ScriptedKind {
  return { name, group: 'kill', script, killed };
}

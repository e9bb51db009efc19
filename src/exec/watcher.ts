import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { RecordedGroup } from './end-processes.ts';
import { ticksOf } from './linux-processes.ts';
import type { StepGroups } from './step-groups.ts';
import { assertToken, stepVariable } from './step-token.ts';

/** Ends the running steps' processes if this process dies without a word. */
export interface Watcher {
  /** From now on the token, and the group where one is given, end with us. Throws a TypeError for a malformed token. */
  readonly watch: (token: string, group?: RecordedGroup) => void;
  readonly unwatch: (token: string) => void;
  /** Ends the watcher and nothing else; resolves when it is gone. */
  readonly close: () => Promise<void>;
}

/**
 * A shell that sleeps in `read`. Each line of its input is the whole list of what to end, as triples TOKEN PID START. When the
 * input ends, because we do, it ends what the last line named: TERM, 0.3 s, then KILL until nothing is left. The signals that
 * would end it politely are ignored: while we live it has a duty, and after us it goes by itself.
 */
const script = String.raw`
trap '' HUP INT TERM
carriers() {
  if [ -r /proc/self/environ ]; then
    grep -lsF -e "$1" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
      tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^${stepVariable}=//p' | tr , '\n' |
        grep -qxF -e "$1" && echo "$pid"
    done
  else
    ps -axEww -o pid=,command= | awk -v token="$1" '{
      for (i = 2; i <= NF; i++)
        if (sub(/^${stepVariable}=/, "", $i) && index("," $i ",", "," token ",")) { print $1; next }
    }'
  fi
}
is_ours() {
  [ "$1" != - ] || return 1
  [ "$2" != - ] && [ -e "/proc/$1/stat" ] || return 0
  [ "$(sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 20)" = "$2" ]
}
end_all() {
  signal=$1 found=
  shift
  while [ $# -ge 3 ]; do
    is_ours "$2" "$3" && kill "-$signal" "-$2"
    for pid in $(carriers "$1"); do kill "-$signal" "$pid" && found=yes; done
    shift 3
  done
  [ "$found" ]
}
watched=
while read -r line; do watched=$line; done
[ "$watched" ] || exit 0
end_all TERM $watched
sleep 0.3 || sleep 1
end_all KILL $watched
for round in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1 || sleep 1
  end_all KILL $watched || exit 0
done
`;

/**
 * Makes a watcher for the whole life of this process. Its shell is started with the first `watch`, and again if somebody
 * killed it; where there is no shell, recovery at the next start is what remains. The pipe that tells it of our death is ours
 * alone: no step inherits it. `groups` are told of each group as well.
 */
export function startWatcher(groups?: StepGroups): Watcher {
  const watched = new Map<string, string>();
  let shell: ChildProcess | undefined;
  const tell = (): void => {
    const running = shell?.exitCode === null && shell.signalCode === null ? shell : undefined;
    if (running === undefined && watched.size === 0) return;
    shell = running ?? startShell();
    shell.stdin?.write(`${[...watched.values()].join(' ')}\n`);
  };
  return {
    watch: (token, group) => {
      assertToken(token);
      watched.set(token, tripleOf(token, group));
      if (group !== undefined) groups?.note(token, group);
      tell();
    },
    unwatch: (token) => {
      if (watched.delete(token)) tell();
      groups?.forget(token);
    },
    close: async () => {
      watched.clear();
      tell();
      const last = shell;
      shell = undefined;
      if (last?.pid === undefined || last.exitCode !== null || last.signalCode !== null) return;
      // Otherwise Node could find nothing left to wait for, and end with status 13.
      last.ref();
      const exited = once(last, 'exit');
      last.stdin?.end();
      await exited;
    },
  };
}

function tripleOf(token: string, group: RecordedGroup | undefined): string {
  if (group === undefined) return `${token} - -`;
  const start = process.platform === 'linux' ? ticksOf(group.startTime) : '-';
  return `${token} ${group.pid} ${start}`;
}

function startShell(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', script, 'skeleton-watcher'], {
    // It must hold nobody's folder, and no terminal.
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Neither a missing shell nor a killed one may end the run.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return shell;
}

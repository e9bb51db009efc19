import type { OwnGates } from '../core/drill.ts';
import { runCommand } from '../exec/run-command.ts';
import { endProcesses } from '../exec/end-processes.ts';
import { copyPlace, removeFolder } from './stage.ts';
import type { Stage } from './stage.ts';

/** A person waits; what takes longer is not needed to know that rollbacks hold. */
const mostMs = 120_000;

interface GateLine {
  readonly gates?: readonly { readonly name: string; readonly verdict: string }[];
}

/** Runs the user's own gates once on a clean copy of the clone, to say whether they can judge there. */
export async function tryOwnGates(stage: Stage): Promise<OwnGates> {
  const place = await copyPlace(stage, 'own-gates');
  const begun = performance.now();
  const { repo, env, token, folder } = place;
  const { code, stdout, stderr, timedOut } = await runCommand({
    file: process.execPath,
    args: [stage.command, 'gate', '--json'],
    cwd: repo,
    env,
    timeoutMs: mostMs,
    signal: stage.signal,
  });
  await endProcesses({ token }, 0);
  await removeFolder(folder, env);
  const seconds = (performance.now() - begun) / 1000;
  const gates = gatesIn(stdout.toString('utf8'));
  const red = gates.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
  const said = timedOut
    ? `not done after ${mostMs / 1000} s`
    : (stderr.trim().split('\n')[0] ?? '');
  const why =
    red.length > 0 ? red.map(({ name, verdict }) => `${name}: ${verdict}`).join(', ') : said;
  return { count: gates.length, doPass: code === 0, why, seconds };
}

function gatesIn(text: string): NonNullable<GateLine['gates']> {
  try {
    return (JSON.parse(text) as GateLine).gates ?? [];
  } catch {
    return [];
  }
}

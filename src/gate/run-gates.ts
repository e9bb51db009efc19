import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GateResult } from '../core/events.ts';
import type { Secret } from '../core/mask.ts';
import { refSlug } from '../core/refs.ts';
import { judgementOf } from '../core/verdict.ts';
import { stepEnvironment } from '../exec/step-environment.ts';
import type { Watcher } from '../exec/watcher.ts';
import { writeAnew } from '../exec/write-anew.ts';
import type { Gate, GateJob, GateRun } from '../ports.ts';
import type { Found } from './find-gates.ts';
import { openGateGuard } from './gate-guard.ts';
import { judgeGate, unrun, type Bench } from './judge-gate.ts';
import { reasonToSkip } from './reason-to-skip.ts';
import { uniqueNames } from './unique-names.ts';

export interface RunnerOptions {
  /** Absolute; gates run there, on what lies there. */
  readonly top: string;
  /** Absolute; of the repository. Logs are named relative to its `skeleton` folder. */
  readonly commonDir: string;
  /** Absolute; its gates/ are the shipped ones. */
  readonly packageRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Masked in logs and results. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Gets what the gates print, masked. */
  readonly sink?: ((chunk: Uint8Array) => void) | undefined;
  readonly watcher?: Watcher | undefined;
  /** Bytes of one log; `runStep` has a default. */
  readonly maxLogBytes?: number | undefined;
  /** Seconds that gates took in earlier runs, by name. */
  readonly lastSeconds?: ReadonlyMap<string, number>;
}

/** Runs gates one after the other, each only while the bytes it rests on are those it was found with (see `Gates.run`). */
export function openGateRunner(
  options: RunnerOptions,
  foundOf: (gate: Gate) => Found,
): (job: GateJob) => Promise<GateRun> {
  const guard = openGateGuard(options);
  const lastSeconds = new Map(options.lastSeconds);
  return async (job) => {
    if (job.gates.length === 0) return { results: [], verdict: 'ungated' };
    const bench = await layOut(job, options);
    const watch = await guard.begin();
    const logs = uniqueNames(job.gates.map(({ name }) => refSlug(name, 'gate')));
    const results: GateResult[] = [];
    for (const [nth, gate] of job.gates.entries()) {
      if (job.signal.aborted) break;
      const found = foundOf(gate);
      const logPath = join(job.logFolder, `gate-${logs[nth] ?? nth}.log`);
      const skip = reasonToSkip(gate, job, { results, lastSeconds });
      const run = async (): Promise<GateResult | undefined> => {
        const changed = await watch.changesFor(found);
        if (changed.length > 0) return changedSince(gate, changed);
        job.onStart(gate.name);
        return judgeGate(found, logPath, bench);
      };
      const result = skip === undefined ? await run() : unrun(gate, skipped(skip));
      if (result === undefined) break;
      if (result.log !== '') lastSeconds.set(gate.name, result.seconds);
      results.push(result);
      await job.onResult(result);
    }
    await watch.end();
    const isWhole = results.length === job.gates.length;
    return { results, verdict: isWhole ? verdictOf(results) : 'interrupted' };
  };
}

async function layOut(job: GateJob, options: RunnerOptions): Promise<Bench> {
  const { sink, watcher, maxLogBytes, secrets } = options;
  const changedFiles = join(job.logFolder, 'changed-files');
  await writeAnew(changedFiles, job.changed.map(({ path }) => `${path}\0`).join(''));
  const promptFile = join(job.logFolder, 'prompt.md');
  const { run, plan, task, attempt, slot, stage } = job;
  const prompt = existsSync(promptFile) ? { promptFile } : {};
  return {
    cwd: options.top,
    env: stepEnvironment(options.env, {
      ...{ run, plan, task, attempt, slot, stage, changedFiles },
      ...prompt,
    }),
    token: job.token,
    signal: job.signal,
    stateFolder: join(options.commonDir, 'skeleton'),
    secrets,
    sink,
    ...(watcher && { watcher }),
    ...(maxLogBytes !== undefined && { maxLogBytes }),
  };
}

function skipped(ended: string): Pick<GateResult, 'verdict' | 'ended'> {
  return { verdict: 'skipped', ended };
}

function changedSince(gate: Gate, paths: readonly string[]): GateResult {
  const ended = 'changed since the attempt began';
  return unrun(
    gate,
    { verdict: 'fail', ended },
    `not run, because these differ:\n${paths.join('\n')}`,
  );
}

function verdictOf(results: readonly GateResult[]): GateRun['verdict'] {
  const judgement = judgementOf(results);
  const isUngated = judgement.verdict === 'fail' && judgement.failure.kind === 'ungated';
  return isUngated ? 'ungated' : judgement.verdict;
}

import { createHash } from 'node:crypto';
import { chmodSync } from 'node:fs';
import type { AttemptRules } from '../ports.ts';
import { toByteName, toPath } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { OpenAttempt } from './open-attempt.ts';
import { isPlainBelow, readRegular, writeWhole } from './raw-files.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What an attempt made of the plan file. */
export type PlanFinding = 'untouched' | 'marked' | 'rewritten';

/**
 * Looks at the plan and puts it back if only marks differ, or its mode: agents are trained to tick, and that is no reason to
 * reject. A plan that is rewritten stays as it is.
 */
export function restoreMarks(
  { repository, record }: OpenAttempt,
  { plan }: AttemptRules,
): PlanFinding {
  const name = toByteName(plan.path);
  const path = `${repository.top}/${name}`;
  const now = readPlan(repository.top, name);
  if (now === undefined) return 'rewritten';
  const mode = record.plan.mode ?? 0o644;
  if (now.equals(plan.before)) {
    chmodSync(toPath(path), mode);
    return 'untouched';
  }
  const isMarked = now.equals(plan.ticked) || plan.differsInMarksOnly(plan.before, now);
  if (!isMarked) return 'rewritten';
  writeWhole(path, plan.before, mode);
  return 'marked';
}

/** Undefined for what is no regular file, lies behind a link, or may not be read. */
export function readPlan(top: ByteName, name: ByteName): Buffer | undefined {
  try {
    return isPlainBelow(top, name) ? readRegular(`${top}/${name}`) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes new bytes into the plan, with the mode that it had. */
export function writePlan({ repository, record }: OpenAttempt, bytes: Uint8Array): void {
  writeWhole(`${repository.top}/${record.plan.path}`, bytes, record.plan.mode ?? 0o644);
}

/** Takes our tick out of the plan before a snapshot: an attempt that did not pass must not look as if it had. */
export function untick(attempt: OpenAttempt): void {
  const { path, before, ticked } = attempt.record.plan;
  const now = readPlan(attempt.repository.top, path);
  if (now === undefined || sha256(now) !== ticked || before.sha256 === ticked) return;
  writePlan(attempt, attempt.record.bytesOf(before));
}

/**
 * Ticks a plan that the attempt was allowed to rewrite, as a merge of the two changes (git-merge-file(1)); undefined where
 * they touch the same lines.
 */
export async function mergeTick(
  { repository, record }: OpenAttempt,
  { plan }: AttemptRules,
): Promise<Buffer | undefined> {
  const now = readPlan(repository.top, record.plan.path);
  if (now === undefined) return undefined;
  const names = ['now', 'before', 'ticked'].map((name) => `${repository.state}/plan.${name}`);
  [now, plan.before, plan.ticked].forEach((bytes, i) => writeWhole(names[i] ?? '', bytes, 0o600));
  const paths = names.map((name) => toPath(name).toString());
  const answers = Array.from({ length: 127 }, (_, i) => i + 1);
  const { code, stdout } = await repository.git.ask(['merge-file', '-p', ...paths], { answers });
  return code === 0 ? stdout : undefined;
}

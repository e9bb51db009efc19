import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparePictures, lostFiles } from '../core/drill.ts';
import type { Comparison, LeftFile, Picture } from '../core/drill.ts';
import { runCommand } from '../exec/run-command.ts';
import { blobId, filesBelow, idOf } from './disk.ts';
import { pictureOf, questions } from './picture.ts';
import type { Place } from './stage.ts';

const gitMs = 5 * 60_000;

/** What the drill sees with its own eyes: a plain git, not the product's, so that a fault in that one cannot hide. */
export interface Witness {
  readonly photograph: () => Promise<Picture>;
  /** What differs from a picture. */
  readonly compare: (before: Picture) => Promise<Comparison>;
  /** What a vandal left that is neither in the snapshot nor in quarantine nor on the disk. */
  readonly lost: (
    left: readonly LeftFile[],
    snapshots: readonly string[],
  ) => Promise<readonly string[]>;
  /** Lines of what git prints; throws where it fails. */
  readonly git: (...args: readonly string[]) => Promise<string>;
}

export function openWitness(place: Place): Witness {
  const { repo, env } = place;
  const git = async (...args: readonly string[]): Promise<string> => {
    const given = ['-c', 'core.quotePath=false', ...args];
    const ran = await runCommand({ file: 'git', args: given, cwd: repo, env, timeoutMs: gitMs });
    if (ran.code === 0) return ran.stdout.toString('latin1');
    throw new Error(`git ${args.slice(0, 2).join(' ')}: ${ran.stderr.trim().slice(0, 200)}`);
  };
  const photograph = async (): Promise<Picture> =>
    pictureOf(repo, {
      gitDir: await git(...questions.gitDir),
      commonDir: await git(...questions.commonDir),
      refs: await git(...questions.refs),
      stash: await git(...questions.stash),
      index: await git(...questions.index),
      status: await git(...questions.status),
    });
  return {
    git,
    photograph,
    compare: async (before) => comparePictures(before, await photograph()),
    lost: async (left, snapshots) => {
      const algorithm = (await git('rev-parse', 'HEAD')).length > 64 ? 'sha256' : 'sha1';
      const now = (path: string): string | undefined => idOf(repo, path, algorithm);
      const kept = new Set(quarantineIds(repo, algorithm));
      for (const ref of snapshots) for (const id of await snapshotIds(git, ref)) kept.add(id);
      return lostFiles(left, now, kept);
    },
  };
}

async function snapshotIds(git: Witness['git'], snapshot: string): Promise<readonly string[]> {
  const lines = (await git('ls-tree', '-r', '-z', snapshot)).split('\0');
  return lines.map((line) => line.split(/[ \t]/)[2] ?? '');
}

function* quarantineIds(repo: string, algorithm: 'sha1' | 'sha256'): Generator<string> {
  const folder = join(repo, '.git', 'skeleton', 'quarantine');
  for (const path of filesBelow(folder))
    yield blobId(readFileSync(Buffer.from(`${folder}/${path}`, 'latin1')), algorithm);
}

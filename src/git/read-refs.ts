import type { ByteName } from './byte-name.ts';
import { entriesOf, statOf } from './raw-files.ts';
import { readHead, readRefFiles } from './refs.ts';
import type { RefReading } from './refs.ts';
import type { Repository } from './located-repository.ts';

/** HEAD and all refs as they are now. With the reftable backend git is asked; else its files are read, without a process. */
export async function readRefs(repository: Repository): Promise<RefReading> {
  return hasRefFiles(repository) ? readRefFiles(repository) : askRefs(repository);
}

export function hasRefFiles({ commonDir }: Repository): boolean {
  return statOf(`${commonDir}/reftable`) === undefined;
}

async function askRefs({ git }: Repository): Promise<RefReading> {
  const format = '%(refname)%00%(objectname)%00%(symref)';
  const out = await git.run(['for-each-ref', `--format=${format}`]);
  const refs = new Map<ByteName, string>();
  for (const line of out.toString('latin1').split('\n')) {
    const [name = '', id = '', target = ''] = line.split('\0');
    if (name !== '') refs.set(name, target === '' ? id : `ref: ${target}`);
  }
  return { head: await askHead(git), refs, odd: [] };
}

async function askHead(git: Repository['git']): Promise<string> {
  const symbolic = await git.ask(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] });
  if (symbolic.code === 0) return `ref: ${symbolic.stdout.toString('latin1').trimEnd()}`;
  const detached = await git.ask(['rev-parse', '--verify', '--quiet', 'HEAD'], { answers: [1] });
  return detached.stdout.toString('latin1').trimEnd();
}

/** What other work trees of this repository have checked out: those branches belong to whoever works there. */
export function otherWorktrees({ gitDir, commonDir }: Repository): readonly string[] {
  const linked = (entriesOf(`${commonDir}/worktrees`) ?? []).map(
    ({ name }) => `${commonDir}/worktrees/${name}`,
  );
  return [commonDir, ...linked]
    .filter((folder) => folder !== gitDir)
    .map((folder) => readHead(folder));
}

import { toByteName } from './byte-name.ts';
import { hasRefFiles, readRefs } from './read-refs.ts';
import { resolveRef } from './refs.ts';
import type { Repository } from './located-repository.ts';

/** The commit that a ref or revision names; undefined where it names none. Full names of branches and HEAD cost no process. */
export async function resolveCommit(
  repository: Repository,
  revision: string,
): Promise<string | undefined> {
  const name = toByteName(revision);
  if (hasRefFiles(repository) && /^(?:HEAD$|refs\/)/.test(name)) {
    const id = resolveRef(repository, name);
    if (id === '') return undefined;
    if (name === 'HEAD' || name.startsWith('refs/heads/')) return id;
  }
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { code, stdout } = await repository.git.ask(args, { answers: [1, 128] });
  return code === 0 ? stdout.toString().trim() : undefined;
}

/** Highest NNNN among a plan's proofs; 0 for none. */
export async function highestProofOf(repository: Repository, plan: string): Promise<number> {
  const prefix = toByteName(`refs/skeleton/proof/${plan}/`);
  const { refs } = await readRefs(repository);
  const numbers = [...refs.keys()]
    .filter((ref) => ref.startsWith(prefix))
    .map((ref) => Number(ref.slice(prefix.length)))
    .filter((number) => Number.isSafeInteger(number));
  return Math.max(0, ...numbers);
}

/** Bytes of a file at a commit; undefined where there is none. */
export async function readFileAt(
  { git }: Repository,
  commit: string,
  path: string,
): Promise<Uint8Array | undefined> {
  const listed = await git.run(['--literal-pathspecs', 'ls-tree', '-z', commit, '--', path]);
  const [mode, type, id] = listed.toString('latin1').split('\t')[0]?.split(' ') ?? [];
  if (mode === '120000' || type !== 'blob' || id === undefined) return undefined;
  return git.run(['cat-file', 'blob', id]);
}

/** The change between two commits as a patch, without the programs that a configuration may name for it. */
export async function patchBetween(
  { git }: Repository,
  from: string,
  to: string,
  paths: readonly string[] = [],
): Promise<string> {
  const args = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
  const names = ['--src-prefix=a/', '--dst-prefix=b/'];
  const out = await git.run([...args, ...names, '--end-of-options', from, to, '--', ...paths], {
    settings: ['core.quotePath=true'],
  });
  return out.toString('utf8');
}

import type { ByteName } from './byte-name.ts';
import { readRegular } from './raw-files.ts';
import type { Repository } from './located-repository.ts';

/** Finds tracked files whose bytes a checkout would not give back, because git converts line ends or encodings on the way. */
export interface LineEnds {
  /** Whether anything is converted here at all. */
  areConverted(attributeFiles: readonly ByteName[]): Promise<boolean>;
  /** For the tree that lies in the work tree and matches the index. Remembers: only what changed since the last tree is read again. */
  unfaithful(tree: string, index: string): Promise<readonly ByteName[]>;
  /** Looks at every tracked file. */
  unfaithfulNow(index: string): Promise<readonly ByteName[]>;
}

interface Known {
  readonly tree: string;
  readonly paths: readonly ByteName[];
}

export function openLineEnds(repository: Repository): LineEnds {
  const { git } = repository;
  let known: Known | undefined;
  let read: Promise<string> | undefined;
  const config = (): Promise<string> => (read ??= readConfig(git));
  const look = async (index: string, paths: readonly ByteName[]): Promise<readonly ByteName[]> =>
    unfaithfulPaths(await listEnds(git, index, paths), await config());
  return {
    areConverted: async (attributeFiles) =>
      (await config()) !== '' || attributeFiles.some((path) => mayConvert(repository, path)),
    unfaithful: async (tree, index) => {
      if (known?.tree !== tree)
        known = { tree, paths: await update(git, { known, tree, index, look }) };
      return known.paths;
    },
    unfaithfulNow: (index) => look(index, []),
  };
}

/** As arguments of one command. */
const mostNames = 100;

interface Update {
  readonly known: Known | undefined;
  readonly tree: string;
  readonly index: string;
  readonly look: (index: string, paths: readonly ByteName[]) => Promise<readonly ByteName[]>;
}

async function update(
  git: Repository['git'],
  { known, tree, index, look }: Update,
): Promise<readonly ByteName[]> {
  if (known === undefined) return look(index, []);
  const changed = await changedPaths(git, known.tree, tree);
  if (changed.length > mostNames) return look(index, []);
  const kept = known.paths.filter((path) => !changed.includes(path));
  return changed.length === 0 ? kept : [...kept, ...(await look(index, changed))];
}

/** Settings that convert, one a line; '' for none (git-config(1): core.autocrlf, core.eol, core.attributesFile). */
async function readConfig(git: Repository['git']): Promise<string> {
  const args = ['config', '--get-regexp', '^core\\.(autocrlf|eol|attributesfile)$'];
  const { stdout } = await git.ask(args, { answers: [1] });
  const lines = stdout.toString().trim().toLowerCase().split('\n');
  return lines.filter((text) => text !== '' && !/ (?:false|native|lf)$/.test(text)).join('\n');
}

const converts = /(?:^|[\s-])(?:text|eol|crlf|working-tree-encoding|ident)\b/m;

function mayConvert({ top, commonDir }: Repository, path: ByteName): boolean {
  const files = [`${top}/${path}`, `${commonDir}/info/attributes`];
  return files.some((file) => converts.test(readRegular(file)?.toString('latin1') ?? ''));
}

/** All paths for none given. */
async function listEnds(
  git: Repository['git'],
  index: string,
  paths: readonly ByteName[],
): Promise<readonly string[]> {
  const names = paths.map((path) => Buffer.from(path, 'latin1').toString());
  const args = ['--literal-pathspecs', 'ls-files', '--eol', '-z', '--', ...names];
  return (await git.run(args, { index })).toString('latin1').split('\0');
}

async function changedPaths(
  git: Repository['git'],
  from: string,
  to: string,
): Promise<readonly ByteName[]> {
  const out = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  const paths = out.toString('latin1').split('\0');
  return paths.filter((path) => path !== '');
}

/** `i/lf w/crlf attr/text=auto eol=crlf<TAB>path` (git-ls-files(1), --eol). */
const line = /^i\/(\S*)\s+w\/(\S*)\s+attr\/(.*?)\s*\t(.*)$/s;

function unfaithfulPaths(lines: readonly string[], config: string): readonly ByteName[] {
  return lines.flatMap((text) => {
    const [, stored = '', lying = '', attributes = '', path = ''] = line.exec(text) ?? [];
    if (path === '' || lying === '') return [];
    const isEncoded = /working-tree-encoding|ident/.test(attributes);
    return isEncoded || lying !== expected(stored, attributes, config) ? [path] : [];
  });
}

/** Line ends that a checkout would write for what is stored (gitattributes(5), "End-of-line conversion"). */
function expected(stored: string, attributes: string, config: string): string {
  if (stored !== 'lf' || attributes.includes('-text')) return stored;
  if (attributes.includes('eol=crlf')) return 'crlf';
  if (attributes.includes('eol=lf')) return 'lf';
  if (config.includes('core.autocrlf true')) return 'crlf';
  if (config.includes('core.autocrlf input')) return 'lf';
  return attributes.includes('text') && config.includes('core.eol crlf') ? 'crlf' : 'lf';
}

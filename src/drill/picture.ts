import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Picture } from '../core/drill.ts';

type Question = 'gitDir' | 'commonDir' | 'refs' | 'stash' | 'index' | 'status';

/** What git is asked for a picture, as a person would ask it. */
export const questions: Readonly<Record<Question, readonly string[]>> = {
  gitDir: ['rev-parse', '--absolute-git-dir'],
  commonDir: ['rev-parse', '--git-common-dir'],
  refs: ['for-each-ref', '--format=%(refname) %(objectname)'],
  stash: ['stash', 'list'],
  index: ['ls-files', '-s', '-v'],
  status: ['status', '--porcelain', '--ignored'],
};

export type Answers = Readonly<Record<Question, string>>;

/** What else in a git folder is a person's. */
const shared = ['config', 'info', 'hooks', 'shallow'];
const own = ['HEAD', 'config.worktree', 'MERGE_HEAD', 'rebase-merge', 'index.lock'];

/** Everything a rollback must give back: bytes, modes, links, folders, refs, HEAD, index with its flags, configuration, hooks. */
export function pictureOf(top: string, answers: Answers): Picture {
  const picture: Record<string, string> = {};
  look({ root: top, name: '', prefix: '' }, picture);
  const gitDir = answers.gitDir.trim();
  const commonDir = realpathSync(resolve(top, answers.commonDir.trim()));
  for (const name of shared) look({ root: commonDir, name, prefix: 'common:' }, picture);
  // Every `git gc` writes it anew: a list of the refs for servers, which steers nothing.
  Reflect.deleteProperty(picture, 'common:info/refs');
  for (const name of own) look({ root: gitDir, name, prefix: 'git:' }, picture);
  const theirs = answers.refs.split('\n').filter((ref) => !ref.startsWith('refs/skeleton/'));
  const { stash, index, status } = answers;
  return { ...picture, refs: theirs.join('\n'), stash, index, status };
}

interface Spot {
  readonly root: string;
  /** Bytes as latin1: names need not be UTF-8. */
  readonly name: string;
  readonly prefix: string;
}

function look({ root, name, prefix }: Spot, into: Record<string, string>): void {
  const bytes = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
  const stat = lstatSync(bytes, { throwIfNoEntry: false });
  if (stat === undefined || name === '.git') return;
  const mode = (stat.mode & 0o7777).toString(8);
  const key = `${prefix}${name}`;
  if (stat.isSymbolicLink()) into[key] = `link ${readlinkSync(bytes, { encoding: 'latin1' })}`;
  else if (stat.isFile()) into[key] = `file ${mode} ${contentOf(readFileSync(bytes))}`;
  else if (!stat.isDirectory()) into[key] = 'special';
  else {
    if (name !== '') into[key] = `folder ${mode}`;
    for (const entry of readdirSync(bytes, { encoding: 'latin1' }))
      look({ root, name: name === '' ? entry : `${name}/${entry}`, prefix }, into);
  }
}

/** Short content as it is, for a person to read where it differs. */
function contentOf(bytes: Buffer): string {
  const digest = (): string => createHash('sha256').update(bytes).digest('hex');
  return `${bytes.length} ${bytes.length <= 200 ? bytes.toString('latin1') : digest()}`;
}

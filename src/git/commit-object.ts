import type { CommitMessage } from '../ports.ts';
import { identLine } from './identity.ts';
import type { Identity } from './identity.ts';
import { oneLine, plainText, renderMessage } from './message.ts';
import { writeObject } from './objects.ts';
import type { Repository } from './located-repository.ts';

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: CommitMessage;
}

/** Writes a commit object by the user; no ref moves, no hook runs, nothing is signed. */
export function writeCommit(
  repository: Repository,
  identity: Identity,
  { tree, parents, message }: NewCommit,
): string {
  const lines = [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${identLine(identity.author)}`,
    `committer ${identLine(identity.committer)}`,
    '',
    renderMessage(message),
  ];
  return writeObject(repository, 'commit', Buffer.from(lines.join('\n')));
}

/** Writes an annotated tag object on a commit. */
export function writeTag(
  repository: Repository,
  identity: Identity,
  { commit, name, text }: { readonly commit: string; readonly name: string; readonly text: string },
): string {
  const lines = [
    `object ${commit}`,
    'type commit',
    `tag ${oneLine(name)}`,
    `tagger ${identLine(identity.committer)}`,
    '',
    `${plainText(text).trimEnd()}\n`,
  ];
  return writeObject(repository, 'tag', Buffer.from(lines.join('\n')));
}

import { Refusal } from '../ports.ts';
import { GitError } from './git.ts';
import type { Repository } from './located-repository.ts';
import type { NewCommit } from './commit-object.ts';
import { renderMessage } from './message.ts';

/** Milliseconds: a signer that asks a person for a passphrase must not hold the night. */
const signLimit = 20_000;

/** Whether the user's configuration wants commits signed (git-config(1), commit.gpgSign). */
export async function wantsSignatures({ git }: Repository): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'commit.gpgSign'];
  const { code, stdout } = await git.ask(args, { answers: [1] });
  return code === 0 && stdout.toString().trim() === 'true';
}

/** A signed commit object; no ref moves. Throws Refusal(4) where the signer fails or takes over 20 s. */
export async function writeSignedCommit(
  { git }: Repository,
  { tree, parents, message }: NewCommit,
): Promise<string> {
  const args = ['commit-tree', '-S', tree, ...parents.flatMap((parent) => ['-p', parent])];
  try {
    const written = await git.run(args, { input: renderMessage(message), limit: signLimit });
    return written.toString().trim();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Refusal(4, `the checkpoint cannot be signed: ${error.message}`, mend);
  }
}

const mend = 'unlock the signing key (gpg-agent, ssh-agent), or: git config commit.gpgSign false';

/** Signs once before anything starts. Throws Refusal(3) where that needs a person. */
export async function refuseUnsigned(repository: Repository): Promise<void> {
  if (!(await wantsSignatures(repository))) return;
  const tree = (await repository.git.run(['rev-parse', 'HEAD^{tree}'])).toString().trim();
  const message = { subject: 'skeleton: can it sign?', body: '', trailers: [] };
  try {
    await writeSignedCommit(repository, { tree, parents: [], message });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(3, `commits are to be signed, but not unattended: ${error.message}`, mend);
  }
}

import { constants, existsSync } from 'node:fs';
import { cp, mkdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ShareConfig } from '../core/config/config.ts';

interface Places {
  readonly from: string;
  readonly to: string;
  /** Whether git would take what lies at a path of `to` for part of the work. */
  readonly isSeen: (path: string) => Promise<boolean>;
}

/**
 * Gives a new worktree the ignored files and folders that `share:` names, as they lie in the run's own work tree: as a link to
 * them, or as a copy, without a copy of their bytes where the file system can do that (`FICLONE`, ioctl_ficlonerange(2)). What
 * the commit has stays. Gives in words what was done otherwise.
 */
export async function share(
  things: readonly ShareConfig[],
  places: Places,
): Promise<readonly string[]> {
  const notices: string[] = [];
  for (const { path: written, how } of things) {
    const path = written.replace(/\/+$/, '');
    const [from, to] = [join(places.from, path), join(places.to, path)];
    if (!existsSync(from) || existsSync(to)) continue;
    await mkdir(dirname(to), { recursive: true });
    if (how === 'symlink' && (await link(path, places))) continue;
    if (how === 'symlink')
      notices.push(
        `${path} is copied: git ignores a folder there, but no link (write ${path}, without / at its end, in .gitignore)`,
      );
    await copy(from, to);
  }
  return notices;
}

/** `folder/` in .gitignore means folders only (gitignore(5)): a link would get into the checkpoint. */
async function link(path: string, { from, to, isSeen }: Places): Promise<boolean> {
  const made = join(to, path);
  await symlink(join(from, path), made);
  if (!(await isSeen(path))) return true;
  await unlink(made);
  return false;
}

async function copy(from: string, to: string): Promise<void> {
  const options = {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  } as const;
  await cp(from, to, options);
}

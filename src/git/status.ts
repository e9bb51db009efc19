import type { ByteName } from './byte-name.ts';
import type { Git } from './git.ts';

/** One line of `git status --porcelain=v2` (git-status(1)). */
export interface StatusLine {
  /** Index against HEAD and work tree against index, `.` for unchanged; `??` untracked, `!!` ignored. */
  readonly code: string;
  readonly path: ByteName;
  /** The path stands for a whole folder: an ignored one, or a repository inside this one. */
  readonly isFolder: boolean;
  /** Of the index; '' where it has none. */
  readonly oid: string;
  /** The mode, too, is another than the index has. */
  readonly hasNewMode: boolean;
  /** Undefined for what is no submodule. */
  readonly submodule: { readonly moved: boolean } | undefined;
}

/**
 * The work tree against an index of ours: one scan for changed, untracked and ignored paths. A folder that is ignored as
 * such is one entry, ending the scan there.
 */
export async function readStatus(git: Git, index: string): Promise<readonly StatusLine[]> {
  const out = await git.run(
    [
      'status',
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      '--ignored=matching',
      '--no-renames',
      '--ignore-submodules=none',
    ],
    { index },
  );
  return out
    .toString('latin1')
    .split('\0')
    .flatMap((line) => parseLine(line) ?? []);
}

/** Mode of a submodule, as long as a folder stands there. */
const gitlink = '160000';

/** Fields before the path of a changed and of an unmerged entry. */
const fields = { '1': 8, u: 10 } as const;

function parseLine(line: string): StatusLine | undefined {
  const kind = line[0];
  if (kind === '?' || kind === '!') return otherLine(`${kind}${kind}`, line.slice(2));
  if (kind !== '1' && kind !== 'u') return undefined;
  const parts = line.split(' ');
  const [, code = '..', sub = 'N...', , modeThen, modeNow, , oid = ''] = parts;
  return {
    code,
    oid: kind === '1' ? oid : '',
    hasNewMode: modeThen !== modeNow,
    path: parts.slice(fields[kind]).join(' '),
    isFolder: false,
    submodule: modeNow === gitlink ? submoduleOf(sub) : undefined,
  };
}

function submoduleOf(sub: string): StatusLine['submodule'] {
  return sub.startsWith('S') ? { moved: sub[1] === 'C' } : undefined;
}

function otherLine(code: string, name: ByteName): StatusLine {
  const isFolder = name.endsWith('/');
  const path = isFolder ? name.slice(0, -1) : name;
  return { code, path, oid: '', hasNewMode: false, isFolder, submodule: undefined };
}

export function isIgnored({ code }: StatusLine): boolean {
  return code === '!!';
}

export function isUntracked({ code }: StatusLine): boolean {
  return code === '??';
}

/** Whether the work tree differs from the index here: HEAD does not matter. */
export function isChanged({ code, submodule }: StatusLine): boolean {
  return code !== '!!' && code !== '??' && code[1] !== '.' && submodule === undefined;
}

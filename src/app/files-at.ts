import type { Workspace } from '../ports.ts';

/** Plan and configuration as a commit has them, for whoever reads them from a work tree otherwise. */
export function filesAt(
  commit: string,
  workspace: Pick<Workspace, 'readAt'>,
): Pick<Workspace, 'readWorkFile'> {
  return {
    readWorkFile: async (path) => {
      const bytes = await workspace.readAt(commit, path);
      return bytes === undefined ? { kind: 'missing' } : { kind: 'file', bytes, ignored: false };
    },
  };
}

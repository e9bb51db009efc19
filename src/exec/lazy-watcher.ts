import type { Watcher } from './watcher.ts';

export interface LazyWatcher {
  readonly open: () => Promise<Watcher>;
  readonly close: () => Promise<void>;
}

/** One watcher for all steps of this process, started for the first of them. `groupsFolder`: see `openStepGroups`. */
export function lazyWatcher(groupsFolder: string): LazyWatcher {
  let watcher: Promise<Watcher> | undefined;
  return {
    open: () => (watcher ??= startWatcherIn(groupsFolder)),
    close: async () => (await watcher)?.close(),
  };
}

async function startWatcherIn(groupsFolder: string): Promise<Watcher> {
  const { startWatcher } = await import('./watcher.ts');
  const { openStepGroups } = await import('./step-groups.ts');
  const { sweepStepFolders } = await import('./step-stdio.ts');
  sweepStepFolders();
  return startWatcher(openStepGroups(groupsFolder));
}

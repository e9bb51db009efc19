/** Nothing that a configuration can name runs in our calls, and git tidies up only when a person's git does. */
export const ownSettings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.untrackedCache=keep',
  'core.quotePath=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  // Another git may be tidying up: its locks are waited for. Milliseconds.
  'core.filesRefLockTimeout=10000',
  'core.packedRefsTimeout=10000',
  'reftable.lockTimeout=10000',
];

/** What somebody may be told of a run (docs/notifications.md). */
export const notifyWords = [
  'done',
  'failed',
  'stopped',
  'budget',
  'waiting',
  'refused',
  'bug',
  'interrupted',
] as const;
export type NotifyWord = (typeof notifyWords)[number];

import type { AttemptRules } from '../ports.ts';

const noBytes = new Uint8Array();
/** Of an attempt that is only rolled back. */
export const noRules: AttemptRules = {
  plan: { path: '', before: noBytes, ticked: noBytes, differsInMarksOnly: () => false },
  protect: [],
  protectNew: true,
  judges: [],
  mayChange: [],
  allowEmpty: false,
  keepCommits: false,
  maxFile: 50 * 2 ** 20,
};

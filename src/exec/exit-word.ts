import { constants } from 'node:os';

/** An exit status other than 0 in words, as a shell gives it for its last command (POSIX, "Exit Status for Commands"). */
export function exitWord(code: number): string {
  if (code === 126) return 'not executable';
  if (code === 127) return 'not found';
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? `exit ${code}` : `exit ${code} (${signal})`;
}

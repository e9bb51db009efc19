/** Sends a signal to a process, or with a negative number to a group; one that is gone, or another user's, is passed over. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

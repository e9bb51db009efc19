/** What a client is told that takes its task as an argument only: an argument may not exceed 128 KiB (execve(2)), a prompt may. */
export function pointerTo(promptFile: string): string {
  return `Do exactly what the file "${promptFile}" says: it is your task. Read all of it first.`;
}

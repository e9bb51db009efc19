import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes that are in a folder, or were started with its name. */
export function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isIn = readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return isIn || command.includes(folder) ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
}

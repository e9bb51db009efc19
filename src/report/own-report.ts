/** Bytes of a file that tell whether it is a report of ours. */
export const mostOfHead = 4096;

/** How each format begins: what others write does not, not even other JUnit files. */
const beginnings: readonly RegExp[] = [
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="skeleton">\n/,
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="skeleton [^"]*" tests="/,
  /^\*\*[^\n]*\*\* in [^\n]* \(run <code>[^\n]*<\/code> on <code>[^\n]*<\/code>\)\n/,
  /^\{"schema":\d+,"run":\{"run":"/,
];

/** Whether a file that begins so is a report that `skeleton report` wrote, in any of its formats. */
export function isOwnReport(head: string): boolean {
  return beginnings.some((beginning) => beginning.test(head));
}

import { test } from 'vitest';

/** A test that takes long and guards what shorter ones do too: part of `npm run test:nightly` only, and named where it is left out. */
export function nightly(name: string, work: () => Promise<void>): void {
  if (process.env['NIGHTLY'] === undefined) process.stdout.write(`only nightly: ${name}\n`);
  else test(name, work);
}

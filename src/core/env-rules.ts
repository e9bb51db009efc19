import type { EnvConfig } from './config/config.ts';
import { ledgerVariable } from './ledger-place.ts';

/**
 * What every step gets whatever `allow` says, because a shell and the programs it starts need it: PATH, HOME, USER, LOGNAME,
 * SHELL, TERM, LANG, LC_*, TZ, TMPDIR, PWD, and our own SKELETON_*, but for where the ledger is, which nobody gets.
 */
const always =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_[A-Z]+|TZ|TMPDIR|PWD|SKELETON_[A-Z_]+)$/;

/**
 * The variables that agents and gates may have (`env:`): with `allow` only those that it names, and with the user's own `allow`
 * (`within`) only those that it names too; never one that `deny` names, whatever else does. `*` stands for any part of a name.
 */
export function permittedIn<Value>(
  env: Readonly<Record<string, Value>>,
  { allow, within, deny = [] }: EnvConfig = {},
): Readonly<Record<string, Value>> {
  const isAllowed = [allow, within].flatMap((names) => (names === undefined ? [] : [named(names)]));
  const isDenied = named([...deny, ledgerVariable]);
  const isPermitted = (name: string): boolean =>
    !isDenied(name) && (always.test(name) || isAllowed.every((isIn) => isIn(name)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPermitted(name)));
}

/** Whether a name is one of these, `*` standing for any part. */
export function named(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 's');
  });
  return (name) => all.some((pattern) => pattern.test(name));
}

/** What opens a shared ledger beside its address (libpq's environment variable). */
const ledgerPassword = 'PGPASSWORD';

/** Without the password of a shared ledger, unless `env:` names it in so many words: a project's own database may want it. */
export function withoutPassword<Value>(
  env: Readonly<Record<string, Value>>,
  { allow = [], within = [] }: EnvConfig = {},
): Readonly<Record<string, Value>> {
  if ([...allow, ...within].includes(ledgerPassword)) return env;
  const { [ledgerPassword]: hidden, ...rest } = env;
  return rest;
}

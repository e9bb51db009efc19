import type { SignIn } from './preset.ts';

export type SignInState = 'yes' | 'no' | 'unknown';

/** What was found on the machine. */
export interface SignInFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file under the home folder, by its relative path; undefined where it is not there or cannot be read. */
  readonly read: (file: string) => string | undefined;
  /** Exit status of `SignIn.ask`; undefined where it was not asked, or did not end by itself. */
  readonly askExit: number | undefined;
}

/** Whether a client is signed in, as far as that can be told offline: `no` only where its absence is certain. */
export function signInState(signIn: SignIn, facts: SignInFacts): SignInState {
  if (facts.askExit === 0 || isFound(signIn, facts)) return 'yes';
  const isUnasked = signIn.ask !== undefined && facts.askExit === undefined;
  return isUnasked || isElsewhere(signIn, facts) ? 'unknown' : signIn.otherwise;
}

function isFound({ variables, files }: SignIn, { env, read }: SignInFacts): boolean {
  return (
    variables.some((name) => isSet(env, name)) || files.some((file) => read(file) !== undefined)
  );
}

function isElsewhere({ elsewhere }: SignIn, { env, read }: SignInFacts): boolean {
  if (elsewhere === undefined) return false;
  const { variables, settings } = elsewhere;
  return (
    variables.some((name) => isSet(env, name)) ||
    settings.some(({ file, matches }) => matches.test(read(file) ?? ''))
  );
}

function isSet(env: SignInFacts['env'], name: string): boolean {
  return (env[name] ?? '') !== '';
}

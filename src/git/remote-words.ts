import { oneLine } from './message.ts';

/** What git says of a remote, for people and for deciding whether to try again; never for whether something was pushed. */

const mostChars = 300;

/** Addresses may hold a password or a token, which nobody is shown, odd characters included; the user of an ssh address is none. */
function withoutPasswords(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s'"@]*:[^\s'"]*@/gi, '$1***@')
    .replace(/(https?:\/\/)[^\s'"]*@/gi, '$1***@');
}

function shown(text: string): string {
  const line = oneLine(withoutPasswords(text));
  return line.length <= mostChars ? line : `${line.slice(0, mostChars - 1)}…`;
}

/** Lines by which git or ssh only gives advice; what went wrong is said before the advice. */
const advice = /^(?:warning:|hint:|To |Warning: Permanently added|\s*$)/;

/** The line that says what went wrong, without passwords and control characters; '' where nothing was said. */
export function whatWentWrong(stderr: string): string {
  return shown(stderr.split('\n').find((line) => !advice.test(line)) ?? '');
}

/** What no second try mends: who we are, where it should be, what it can do. */
const hopeless = new RegExp(
  [
    'authentication failed|permission denied|could not read (?:username|password)|access denied',
    'host key verification failed|terminal prompts disabled|error: 40[134]|not authori[sz]ed',
    'not found|no such remote|does not appear to be a git repository|does not exist|not exported',
    'dubious ownership|support --atomic|unable to find remote helper|transport .* not allowed',
  ].join('|'),
  'i',
);

export function isHopeless(stderr: string): boolean {
  return hopeless.test(stderr);
}

/** In words of the client, which LC_ALL=C keeps English. */
export function lacksAtomic(stderr: string): boolean {
  return stderr.includes('does not support --atomic');
}

/**
 * What git-receive-pack(1) says, always in English, where another push held a lock at that moment or has been killed with one; and
 * git itself, of a lease, where the remote's copy for readers is a little behind.
 */
const passing =
  /failed to (?:update|lock)|cannot lock ref|unable to (?:create|lock|migrate)|atomic|stale info/i;

/** Git's advice about a lock, up to the next line that says what went wrong: long, and of a terminal that is not ours. */
const lockAdvice = /^remote: *Another git process.*\n(?:remote:(?! *(?:error|fatal):).*\n?)*/gm;

/** What is to be done on the remote itself, where its words show that; '' where they do not. */
function mendOf(words: string): string {
  const lock = /Unable to create '(.+?\.lock)': File exists/.exec(words)?.[1];
  if (lock !== undefined)
    return `a push that was killed there has left that file: once no git is at work in that repository, delete it there (rm '${oneLine(lock)}'); then: skeleton run`;
  if (/unable to migrate objects/i.test(words))
    return 'see there that its disk has room, and that nobody runs git gc --prune=now or git prune while workers push (git gc alone is safe); then: skeleton run';
  return '';
}

export interface Refused {
  readonly kind: 'refused';
  /** The remote's own words, one line. */
  readonly why: string;
  /** What is to be done there; left out where its words are all that is known. */
  readonly mend?: string;
  /** It may be another answer in a moment. */
  readonly isPassing: boolean;
}

/** Of the output of `git push --porcelain`; undefined where it says of no ref that it was not taken. */
export function readRefusal(stdout: string, stderr: string): Refused | undefined {
  const reasons = pushLines(stdout)
    .filter(({ flag }) => flag === '!')
    .map(({ summary }) => /\((.*)\)$/.exec(summary)?.[1] ?? summary);
  const telling = reasons.find((reason) => !/atomic/i.test(reason)) ?? reasons[0];
  if (telling === undefined) return undefined;
  const said = stderr
    .replace(lockAdvice, '')
    .split('\n')
    .flatMap((line) => /^remote: *(?:error: *)?(.*\S)/.exec(line)?.[1] ?? [])
    .join(' ');
  const why = shown([telling, said].filter((part) => part !== '').join(': '));
  const mend = mendOf(`${reasons.join('\n')}\n${stderr}`);
  return { kind: 'refused', why, ...(mend !== '' && { mend }), isPassing: passing.test(telling) };
}

/** Refs that the push made anew. */
export function newRefs(stdout: string): ReadonlySet<string> {
  const made = pushLines(stdout).filter(({ flag }) => flag === '*');
  return new Set(made.map(({ to }) => to));
}

interface PushLine {
  readonly flag: string;
  readonly to: string;
  readonly summary: string;
}

/** git-push(1), "Output": FLAG, tab, FROM:TO, tab, SUMMARY (REASON). */
function pushLines(stdout: string): readonly PushLine[] {
  return stdout.split('\n').flatMap((line) => {
    const [flag = '', names = '', summary = ''] = line.split('\t');
    const to = names.slice(names.indexOf(':') + 1);
    return summary === '' ? [] : [{ flag, to, summary }];
  });
}

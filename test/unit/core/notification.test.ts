import { describe, expect, it } from 'vitest';
import {
  isTold,
  notificationOf,
  spellNotifier,
  type Tidings,
} from '../../../src/core/notification.ts';
import { notifyWords } from '../../../src/core/notify-words.ts';
import type { Event, Recorded } from '../../../src/core/events.ts';
import { openWaitWatch } from '../../../src/core/wait-watch.ts';

const refused: Tidings = {
  ...{ event: 'refused', repository: 'app', host: 'h', plan: 'docs/<B>.md', status: 3 },
  ...{ why: 'dirty\n M x', mend: 'git stash\n\ngit commit', planOption: '' },
};

describe('a notification', () => {
  it('of a run that did not start says why, and what mends it', () => {
    expect(notificationOf(refused)).toEqual({
      ...{ schema: 1, event: 'refused', repository: 'app', host: 'h', plan: 'docs/<B>.md' },
      ...{ status: 3, why: 'dirty\n M x', mend: ['git stash', 'git commit'] },
      text: 'app, docs/‹B›.md: did not start (dirty)',
    });
  });

  it('has one line of text, whatever the words are', () => {
    const why = '\u001b[2J<!channel>\u202e';
    const { text } = notificationOf({ ...refused, why, repository: 'a\nb' });
    expect(text).toMatch(/^a␊b, /);
    expect(text).not.toMatch(/[<>\n\u001b\u202e]/);
  });
});

describe('who is told', () => {
  it('of all but an interruption, or of what was asked for', () => {
    expect(notifyWords.filter((word) => !isTold({ command: 'x' }, word))).toEqual(['interrupted']);
    const on = ['waiting', 'interrupted'] as const;
    expect(notifyWords.filter((word) => isTold({ command: 'x', on }, word))).toEqual(on);
  });

  it.each([
    [{ command: 'curl https://host/SECRET' }, 'a command'],
    [
      { webhook: 'https://me:SECRET@host:8/SECRET?a=SECRET', on: ['done', 'bug'] },
      'a webhook at host:8 (done, bug)',
    ],
    [{ webhook: 'https://host?SECRET' }, 'a webhook at host'],
    [{ webhook: '$HOOK' }, 'a webhook at $HOOK'],
  ] as const)('is named without a secret', (target, said) => {
    expect(spellNotifier(target)).toBe(said);
  });
});

describe('a wait', () => {
  const at = (event: Event): Recorded => {
    return { run: 'r', plan: 'p', task: 't', seq: 1, at: '', event };
  };
  const now = '2026-01-01T00:00:00.000Z';
  const inSeconds = (seconds: number): string =>
    new Date(Date.parse(now) + seconds * 1000).toISOString();
  const throttled = { type: 'agent.throttled', until: inSeconds(60) } as const;

  it('of a minute is not told, a longer one is, once until an attempt was judged', () => {
    const watch = openWaitWatch();
    watch.observe(at(throttled));
    expect(watch.begins(now, inSeconds(60))).toBe(false);
    expect(watch.begins(now, inSeconds(61))).toBe(true);
    watch.observe(at(throttled));
    expect(watch.begins(now, inSeconds(3600))).toBe(false);
    watch.observe(at({ type: 'attempt.rejected', failure: { kind: 'no-change' } }));
    expect(watch.begins(now, inSeconds(3600))).toBe(true);
  });

  it('whose end nobody knows is told at once', () => {
    const watch = openWaitWatch();
    watch.observe(at({ ...throttled, own: true }));
    expect(watch.begins(now, inSeconds(30))).toBe(true);
  });
});

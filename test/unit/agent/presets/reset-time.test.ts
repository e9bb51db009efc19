import { describe, expect, it } from 'vitest';
import { resetIn, resetOfEpoch, resetOfHeader } from '../../../../src/agent/reset-time.ts';

/** Noon of this process's zone, where clients tell times of day. */
const noon = new Date(2026, 10, 29, 12, 0, 0);
const local = (month: number, day: number, hour: number, minute: number): { until: string } => ({
  until: new Date(2026, month - 1, day, hour, minute).toISOString(),
});

describe('resetIn', () => {
  it.each([
    ['Rate limit reached\nSuggested retry after 3600s.', 3_600_000],
    ['Please try again in 20s. Visit …', 20_000],
    ['Please try again in 1h20m3.5s.', 4_803_500],
    ['Please try again in 6ms', 6],
    ['try again in 2 days 3 hours', 183_600_000],
    ['Please retry in 34.074824224s.', 34_075],
    ['retry-after: 120', 120_000],
    ['resets in 5 minutes', 300_000],
  ])('reads a wait: %s', (words, afterMs) => {
    expect(resetIn(words, noon)).toEqual({ afterMs });
  });

  it.each([
    ['or try again at 12:39 PM.', local(11, 29, 12, 39)],
    ['or try again at 11:05 AM.', local(11, 30, 11, 5)],
    ['or try again at 12:05 AM.', local(11, 30, 0, 5)],
    ['or try again at Dec 3rd, 2026 3:32 AM.', local(12, 3, 3, 32)],
    ["You've hit your limit · resets 5pm (Europe/Berlin)", local(11, 29, 17, 0)],
    ["You've hit your weekly limit · resets Dec 1, 5:30pm (UTC)", local(12, 1, 17, 30)],
  ])('reads a time: %s', (words, expected) => {
    expect(resetIn(words, noon)).toEqual(expected);
  });

  it('takes a date of a year that is about to end for one of the next', () => {
    const until = new Date(2027, 0, 2, 9, 0).toISOString();
    expect(resetIn('resets Jan 2, 9am', noon)).toEqual({ until });
  });

  it('takes a time that has just passed for one that is due, not for tomorrow', () => {
    expect(resetIn('try again at 11:59 AM', noon)).toEqual({ afterMs: 60_000 });
    expect(resetIn('try again at Nov 1st, 2026 3:00 AM', noon)).toEqual({ afterMs: 60_000 });
  });

  it.each([
    'try again later',
    'the limit is 40 requests',
    'try again at 25:99 PM',
    'try again at Foo 3rd, 2026 3:32 AM',
    'retry in 99999999999999 days',
    '',
  ])('makes nothing of: %s', (words) => {
    expect(resetIn(words, noon)).toEqual({});
  });

  it('takes no time for long text', () => {
    const started = performance.now();
    for (const words of ['retry in 1', 'try again in ', 'resets Dec 1', '1s '])
      resetIn(words.repeat(50_000), noon);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('resetOfHeader', () => {
  it('reads seconds and dates', () => {
    expect(resetOfHeader('3600')).toEqual({ afterMs: 3_600_000 });
    expect(resetOfHeader('Sun, 29 Nov 2026 16:11:02 GMT')).toEqual({
      until: '2026-11-29T16:11:02.000Z',
    });
    expect(resetOfHeader('soon')).toEqual({});
  });
});

describe('resetOfEpoch', () => {
  it('reads seconds and milliseconds', () => {
    expect(resetOfEpoch(1_795_973_981)).toEqual({ until: '2026-11-29T17:39:41.000Z' });
    expect(resetOfEpoch(1_795_973_981_000)).toEqual({ until: '2026-11-29T17:39:41.000Z' });
    expect(resetOfEpoch(9e20)).toEqual({});
  });
});

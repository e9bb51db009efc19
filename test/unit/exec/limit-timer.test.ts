import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadlineAfter, startLimitTimer } from '../../../src/exec/limit-timer.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const day = 86_400_000;

describe('a limit', () => {
  it('is reported once, and not before', async () => {
    const onOver = vi.fn();
    startLimitTimer(1000, onOver);
    await vi.advanceTimersByTimeAsync(999);
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(onOver).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('counts from the last restart', async () => {
    const onOver = vi.fn();
    const { restart } = startLimitTimer(1000, onOver);
    for (let i = 0; i < 5; i += 1) {
      await vi.advanceTimersByTimeAsync(900);
      restart();
    }
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1010);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('longer than setTimeout can count does not overflow', async () => {
    const onOver = vi.fn();
    startLimitTimer(60 * day, onOver);
    await vi.advanceTimersByTimeAsync(59 * day);
    expect(onOver).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(day + 10);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('of Infinity never comes', async () => {
    const onOver = vi.fn();
    const { stop } = startLimitTimer(Infinity, onOver);
    await vi.advanceTimersByTimeAsync(100 * day);
    stop();
    expect(onOver).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is never reported after it was stopped, not even when it was about to be', async () => {
    const onOver = vi.fn();
    const { stop } = startLimitTimer(1000, onOver);
    vi.advanceTimersByTime(1000);
    stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(onOver).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not care about the wall clock', async () => {
    const onOver = vi.fn();
    startLimitTimer(1000, onOver);
    vi.setSystemTime(Date.now() + 10 * day);
    await vi.advanceTimersByTimeAsync(500);
    expect(onOver).not.toHaveBeenCalled();
  });
});

describe('a deadline', () => {
  it('aborts when its time is over, even after more than setTimeout can count', async () => {
    const signal = deadlineAfter(30 * day);
    await vi.advanceTimersByTimeAsync(29 * day);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(day + 10);
    expect(signal.aborted).toBe(true);
  });

  it('keeps no process alive', () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    deadlineAfter(day);
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after).toBe(before);
  });
});

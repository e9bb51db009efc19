import { afterEach, beforeEach, expect, test } from 'vitest';
import { usePlainGit } from '../../../src/git/git.ts';
import { cutShort, stoppingWith } from '../../../src/git/stopping.ts';
import { makeFurnishedLab } from '../../support/git-lab.ts';
import type { Lab } from '../../support/git-lab.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeFurnishedLab();
});
afterEach(() => {
  lab.remove();
});

const plainly = async (alias: string, onEnd: () => void): Promise<string> =>
  usePlainGit({ folder: lab.top, environment: process.env }, async (git) => {
    lab.git('config', 'alias.x', `!${alias}`);
    try {
      return await git.raw('x');
    } finally {
      onEnd();
    }
  });

test('a git that is kept from starting is an interruption', async () => {
  const ask = cutShort(() => plainly('true', () => undefined));
  await expect(stoppingWith(AbortSignal.abort(130), ask)).rejects.toMatchObject({
    name: 'Interrupted',
  });
});

test('so is one that a Ctrl-C ended before it reached us', async () => {
  const stop = new AbortController();
  const onEnd = (): void => void setTimeout(() => stop.abort(130), 10);
  const ended = stoppingWith(stop.signal, () => plainly('kill -INT $PPID', onEnd));
  await expect(ended).rejects.toMatchObject({ name: 'Interrupted' });
});

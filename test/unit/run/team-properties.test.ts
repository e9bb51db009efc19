import { describe, expect, test } from 'vitest';
import { range } from '../../support/chance.ts';
import { doneIn } from '../../support/memory-team.ts';
import { assertAllEnded, assertSound, tellStory } from '../../support/team-story.ts';

const { SEED: onlySeed, NIGHTLY: nightly } = process.env;
const many = nightly === undefined ? 100 : 5000;
const seeds = onlySeed === undefined ? range(many) : [Number(onlySeed)];
const AT_ONCE = 20;
const parts = range(Math.ceil(seeds.length / AT_ONCE)).map((nth) =>
  seeds.slice((nth - 1) * AT_ONCE, nth * AT_ONCE),
);

/** Gives the number of steps. Whoever looks for a fault: `SEED=7 npx vitest run team-properties`. */
async function live(seed: number): Promise<number> {
  const story = tellStory(seed);
  const { team, config, pick } = story;
  try {
    const workers = 1 + pick(5);
    for (let nth = 0; nth < workers; nth += 1)
      team.join(`w${nth + 1}`, { config: config(), joinsAt: pick(2) * pick(2000) });
    await team.run();
    story.calm();
    const before = doneIn(team);
    const last = team.join('last', { config: { keepGoing: true } });
    await team.run();
    assertSound(story);
    assertAllEnded(story, last, before);
  } catch (error) {
    const steps = team.schedule.taken.slice(-40).join('\n');
    throw new Error(`SEED=${seed}\n${steps}`, { cause: error });
  }
  return team.schedule.taken.length;
}

describe(`${seeds.length} teams with troubles of all kinds`, () => {
  test.each(parts)(
    'everything passes once, or ends without that: from seed %i',
    async (...part) => {
      for (const seed of part) expect(await live(seed)).toBeGreaterThan(0);
    },
  );
});

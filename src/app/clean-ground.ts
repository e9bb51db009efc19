import type { House } from '../compose.ts';
import type { Config } from '../core/config.ts';
import { openCleanRoom } from '../run/clean-room.ts';
import type { Session } from '../run/session.ts';

/** Opened where `setup:` or `tests:` want it; nothing is made before the first gate runs there. */
export async function cleanGround(house: House, config: Config): Promise<Pick<Session, 'clean'>> {
  const { setup, tests = [] } = config;
  if (setup === undefined && tests.length === 0) return {};
  const checkpoints = await house.checkpoints();
  const gatesIn: House['gates'] = (own, top) => house.gates(own, top);
  const room = openCleanRoom({ worktrees: await house.worktrees(), checkpoints, gatesIn });
  return { clean: { room, config, isWhole: setup !== undefined, tests } };
}

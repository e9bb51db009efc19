import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPostgresServer, type PostgresServer } from '../support/postgres-lab.ts';
import { complaintsOf, published } from '../support/team-audit.ts';
import {
  branch,
  idle,
  makeTeamLab,
  type TeamLab,
  type TeamMachine,
  type TeamTask,
  type TeamWorker,
} from '../support/team-lab.ts';
import { chanceOf, range } from '../support/chance.ts';

/** `npm run test:nightly` takes 200 tasks; `SEED=7 npx vitest run many-machines.test` repeats a story as far as chance allows. */
const { SEED: seed = '1', NIGHTLY: nightly } = process.env;
const count = nightly === undefined ? 30 : 200;
/** Milliseconds, on a machine that has a lot of other work; a quiet one takes a fraction of it. */
const longest = nightly === undefined ? 300_000 : 3_600_000;
const mostFaults = nightly === undefined ? 12 : 100;

let server: PostgresServer;
let lab: TeamLab;
beforeAll(async () => {
  server = await openPostgresServer();
});
afterEach(async () => lab.remove());
afterAll(async () => server.close());

/** Chains of three at the beginning; what is left waits for nothing. Agents take 0.1 to 0.5 s. */
function planOf(chance: () => number): readonly TeamTask[] {
  return range(count).map((nth) => ({
    id: `t${nth}`,
    needs: nth <= 9 && nth % 3 !== 1 ? [`t${nth - 1}`] : [],
    seconds: Math.round(10 + chance() * 40) / 100,
  }));
}

test('the look from outside that follows finds what is amiss', async () => {
  lab = makeTeamLab(await server.database(), [{ id: 'a' }, { id: 'b' }]);
  const one = lab.machine('one');
  const { status, stderr } = await one.run();
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(await complaintsOf(lab, [one])).toEqual([]);
  const client = new Client({ connectionString: lab.url });
  await client.connect();
  await client.query(`delete from skeleton.event where task = 'a' and type = 'gates.passed'`);
  await client.end();
  lab.there('update-ref', '-d', 'refs/tags/skeleton/plan/0001-a');
  lab.there('update-ref', branch, `${branch}~1`);
  writeFileSync(join(one.worktree, 'left'), '');
  const complaints = (await complaintsOf(lab, [one])).join('\n');
  for (const words of [
    ...[
      'b is on the branch 0 times',
      'not ticked: - [ ] Make b',
      'a has the tags \n',
      'b.txt is ""',
    ],
    ...[
      'took commits away',
      'a: an impossible history',
      'is not in its place',
      'is not clean: ?? left',
    ],
  ])
    expect(complaints).toContain(words);
});

interface Member {
  readonly machine: TeamMachine;
  /** Undefined once it has ended by itself. */
  worker: TeamWorker | undefined;
  isStopped: boolean;
  readonly statuses: (number | null)[];
  said: string;
}

/** A machine whose worker is started again each time it was killed. */
async function keepAtWork(member: Member): Promise<void> {
  for (;;) {
    member.worker = member.machine.start();
    const { status, stderr } = await member.worker.ended;
    member.said += stderr;
    member.statuses.push(status);
    if (status !== null) break;
  }
  member.worker = undefined;
}

const faults = { worker: 0, group: 0, paused: 0, restarted: 0 };

function kill(member: Member, whom: 'worker' | 'group'): void {
  member.worker?.kill(whom);
  faults[whom] += 1;
}

/** In the midst of a task, past the time that a server gives a session, so that another takes it. */
async function pause(member: Member): Promise<void> {
  const pid = member.worker?.child.pid;
  if (pid === undefined) return;
  member.isStopped = true;
  const calls = (): number =>
    lab.calls().filter((line) => line.endsWith(member.machine.worktree)).length;
  const before = calls();
  for (let looks = 0; looks < 100 && calls() === before; looks += 1) await sleep(20);
  if (member.worker?.child.pid === pid) {
    process.kill(pid, 'SIGSTOP');
    await sleep(idle * 2);
    process.kill(pid, 'SIGCONT');
    faults.paused += 1;
  }
  member.isStopped = false;
}

/** One fault every few seconds, one machine at a time and now here, now there, as long as there is work; the database once, in the midst. */
async function disturb(members: readonly Member[], chance: () => number): Promise<void> {
  const done = (): number => published(lab).length;
  const others: Promise<void>[] = [];
  for (let nth = 1; nth <= mostFaults && done() < count; nth += 1) {
    await sleep(1000 + chance() * 2500);
    const here = members.filter(({ worker, isStopped }) => worker !== undefined && !isStopped);
    const member = here[Math.floor(chance() * here.length)];
    if (member === undefined) break;
    if (nth % 10 === 3) others.push(pause(member));
    else kill(member, nth % 2 === 0 ? 'group' : 'worker');
    if (nth === 5)
      others.push(server.restart('immediate').then(() => void (faults.restarted += 1)));
  }
  await Promise.all(others);
}

test(
  `three machines, ${count} tasks, kills, a pause and a restart of the database: each is done once`,
  { timeout: longest },
  async () => {
    const chance = chanceOf(Number(seed));
    lab = makeTeamLab(await server.database(), planOf(chance));
    const members: readonly Member[] = range(3).map((nth) => ({
      machine: lab.machine(`machine ${nth}`),
      ...{ worker: undefined, isStopped: false, statuses: [], said: '' },
    }));
    const began = performance.now();
    const ends = members.map(async (member) => keepAtWork(member));
    await disturb(members, chance);
    await Promise.all(ends);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(
      `${count} tasks on 3 machines in ${seconds} s, seed ${seed}: ${JSON.stringify(faults)}`,
    );
    const said = members.map(({ machine, said: words }) => `${machine.name}\n${words}`).join('\n');
    const last = members.map(({ statuses }) => statuses.at(-1));
    const complaints = await complaintsOf(
      lab,
      members.map(({ machine }) => machine),
    );
    expect({ last, complaints }, said).toEqual({ last: [0, 0, 0], complaints: [] });
    for (const [fault, times] of Object.entries(faults)) expect(times, fault).toBeGreaterThan(0);
  },
);

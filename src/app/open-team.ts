import { parsePlan } from '../core/plan/parse-plan.ts';
import { shortRef } from '../core/refs.ts';
import { Refusal, type AttemptId, type Claims, type Remote, type Workspace } from '../ports.ts';
import type { Session } from '../run/session.ts';
import { openSetup } from '../run/set-up.ts';
import type { Team, Tip } from '../run/team.ts';
import type { Work } from './read-work.ts';
import type { RunBase } from './run-base.ts';

interface TeamParts {
  readonly base: RunBase;
  readonly work: Work;
  readonly session: Session;
  readonly claims: Claims;
  readonly remote: Remote;
  readonly branch: string;
  readonly owner: string;
}

/** What a worker needs of git and of its own work tree to work with others. */
export function openTeam(parts: TeamParts): Team {
  const { work, base, claims, remote, branch, owner } = parts;
  const tree = openTree(parts);
  return {
    ...{ claims, remote, branch, owner },
    givesAttempts: work.reading.config.pushAttempts ?? false,
    contains: (commit, other) => base.keeper.contains(commit, other),
    look: lookOut(parts),
    onEarlier: (event) => base.io.onEarlier?.(event),
    layOut: tree.layOut,
    settle: () => settle(parts),
    leaveTree: tree.leave,
    say: (message) => base.io.onWarning?.(message),
  };
}

/** A branch that is set back would take code away from under what was made on it. */
function lookOut(parts: TeamParts): () => Promise<Tip> {
  const { base, remote, branch } = parts;
  const name = `${shortRef(branch)} on ${remote.name}`;
  let seen: Tip | undefined;
  return async () => {
    const commit = await remote.fetch(base.slug, branch);
    if (commit === undefined) throw changed(`${name} is gone`);
    // A long plan is not read anew where nothing has moved.
    if (seen?.commit === commit) return seen;
    const tip = await tipAt(commit, parts);
    if (seen !== undefined && !(await base.keeper.contains(commit, seen.commit))) {
      const words = `${name} was set back while this run was at work: it does not hold ${seen.commit.slice(0, 10)} any more`;
      throw new Refusal(4, words, `skeleton run goes on from where it is now`);
    }
    seen = tip;
    return tip;
  };
}

async function tipAt(
  commit: string,
  { base, work, session, remote, branch }: TeamParts,
): Promise<Tip> {
  const { planPath, workspace } = base;
  const { bytes } = work.reading;
  const plan = await workspace.readAt(commit, planPath);
  const name = `${shortRef(branch)} on ${remote.name}`;
  if (!plan) throw changed(`${name} has no ${planPath} any more`);
  if (Buffer.compare(bytes, plan) !== 0 && !session.differsInMarksOnly(bytes, plan))
    throw changed(`${planPath} was changed in ${name}`);
  const { tasks } = parsePlan(plan, planPath);
  const done = tasks.filter(({ state }) => state !== 'pending').map(({ id }) => id);
  return { commit, plan, done: new Set(done) };
}

/** Of a run that has ended: what lies here is of no use to anybody before the last checkpoint. */
async function settle({ base, remote, branch }: TeamParts): Promise<string> {
  const { slug, house } = base;
  const head = async (): Promise<string> => (await (await house.workspace()).resolve('HEAD')) ?? '';
  const [tip, at] = [await remote.fetch(slug, branch), await head()];
  const keeper = await house.keeper();
  if (tip !== undefined && tip !== at && (await keeper.contains(tip, at)))
    await keeper.moveBranch(slug, tip);
  const stands = await head();
  const tags = (await keeper.marks(slug)).filter(
    ({ ref, commit }) => commit === stands && ref.startsWith('refs/tags/'),
  );
  return (tags.find(({ ref }) => !ref.endsWith('-start')) ?? tags[0])?.ref ?? stands;
}

function changed(what: string): Refusal {
  return new Refusal(4, `${what} while this run was at work`, 'skeleton run goes on with it');
}

/** The one work tree of this machine, in which one task at a time is worked on. */
function openTree({ base, work, session }: TeamParts): {
  readonly layOut: Team['layOut'];
  readonly leave: () => Promise<void>;
} {
  const { house, slug } = base;
  const { config } = work.reading;
  let last: { readonly id: AttemptId; readonly workspace: Workspace; kept?: string } | undefined;
  const setUp = house
    .checkpoints()
    .then((checkpoints) =>
      openSetup({ config, checkpoints, gatesOf: house.gates, name: '+worker' }),
    );
  return {
    layOut: async (commit) => {
      const before = await house.workspace();
      if ((await before.resolve('HEAD')) !== commit)
        await (await house.keeper()).moveBranch(slug, commit);
      const workspace = watched(await house.workspace(), (id, kept) => {
        last = id && { id, workspace, ...(kept !== undefined && { kept }) };
      });
      const ready = { ...session, ports: { ...session.ports, workspace } };
      await (
        await setUp
      )(commit, ready);
      return ready;
    },
    leave: async () => {
      if (last === undefined) return;
      const { id, number } = last.id;
      const { notices } = last.kept === undefined ? await last.workspace.rollBack(last.id) : none;
      for (const notice of notices) base.io.onWarning?.(notice);
      const { kept = '' } = last;
      if (kept !== '') base.io.onWarning?.(`what ${id}#${number} had made is kept here: ${kept}`);
      last = undefined;
    },
  };
}

const none = { notices: [] } as const;

/** Notes which attempt was the last in it, and where what it had left is kept by now. */
function watched(
  workspace: Workspace,
  note: (id: AttemptId | undefined, kept?: string) => void,
): Workspace {
  return {
    ...workspace,
    begin: async (id, ...rest) => {
      note(id);
      return workspace.begin(id, ...rest);
    },
    checkpoint: async (...args) => {
      const notices = await workspace.checkpoint(...args);
      note(undefined);
      return notices;
    },
    rollBack: async (id, ...rest) => {
      const left = await workspace.rollBack(id, ...rest);
      note(id, left.snapshot.ref);
      return left;
    },
  };
}

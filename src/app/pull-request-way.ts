import { openForge, type Environment, type House } from '../compose.ts';
import { forgeAddress, type ForgeAddress } from '../core/forge-address.ts';
import { shortRef } from '../core/refs.ts';
import { oneLine } from '../core/text.ts';
import { Refusal, type Forge, type NamedRemote, type Publisher } from '../ports.ts';

/** From where to where. */
export interface Way {
  /** Short names. */
  readonly branch: string;
  readonly base: string;
  readonly remote: NamedRemote;
  readonly place: ForgeAddress | undefined;
  readonly isPushed: boolean;
  readonly forge: Forge;
}

/** Throws Refusal: 2 for what is not there, 3 where there is nothing to push, or nothing that may be. */
export async function wayOf(
  house: House,
  publisher: Publisher,
  options: { readonly env: Environment; readonly base?: string; readonly remote?: string },
): Promise<Way> {
  const { branch, head } = tipOf(house);
  const remote = await pickRemote(publisher, branch, options.remote);
  const asked = options.base === undefined ? [branch] : [branch, options.base];
  const first = await publisher.look(remote.name, asked);
  const base = options.base ?? first.defaultBranch;
  if (base === undefined)
    throw new Refusal(3, `${remote.name} has no default branch`, 'skeleton pr --base BRANCH');
  refuseSame(branch, base, first.defaultBranch);
  const stand = first.tips.has(base) ? first : await publisher.look(remote.name, [branch, base]);
  refuseTip(stand.tips.get(base), head, { branch, base, remote: remote.name });
  const isPushed = stand.tips.get(branch) === head;
  const place = forgeAddress(remote.url);
  return {
    branch,
    base,
    remote,
    place,
    isPushed,
    forge: await openForge(house.facts.top, options.env),
  };
}

function tipOf({ facts }: House): { readonly branch: string; readonly head: string } {
  const { branch, head } = facts;
  if (branch === undefined)
    throw new Refusal(3, 'HEAD is detached: there is no branch to push', 'git switch -c BRANCH');
  if (head === undefined) throw new Refusal(3, 'there is no commit yet', 'skeleton run');
  return { branch: shortRef(branch), head };
}

function refuseTip(
  tip: string | undefined,
  head: string,
  { branch, base, remote }: Pick<Way, 'branch' | 'base'> & { readonly remote: string },
): void {
  if (tip === undefined)
    throw new Refusal(
      2,
      `${oneLine(remote)} has no branch ${oneLine(base)}`,
      'skeleton pr --base BRANCH',
    );
  if (tip !== head) return;
  const what = `nothing to propose: ${oneLine(branch)} is where ${oneLine(base)} is`;
  throw new Refusal(3, what, 'skeleton run');
}

function refuseSame(branch: string, base: string, byDefault: string | undefined): void {
  if (branch !== base && branch !== byDefault) return;
  const what = branch === byDefault ? 'the default branch, which is not pushed' : 'the base itself';
  throw new Refusal(
    3,
    `${oneLine(branch)} is ${what}`,
    'git switch -c BRANCH     takes its commits along',
  );
}

async function pickRemote(
  publisher: Publisher,
  branch: string,
  asked: string | undefined,
): Promise<NamedRemote> {
  const remotes = await publisher.remotes();
  const of = (name: string | undefined): NamedRemote | undefined =>
    remotes.find((remote) => remote.name === name);
  const names = remotes.map(({ name }) => oneLine(name)).join(', ');
  if (asked !== undefined) {
    const found = of(asked);
    if (found !== undefined) return found;
    const there = names === '' ? 'none' : names;
    throw new Refusal(
      2,
      `there is no remote ${oneLine(asked)}; there are: ${there}`,
      'git remote -v',
    );
  }
  const [only] = remotes;
  if (only === undefined)
    throw new Refusal(3, 'this repository has no remote', 'git remote add origin ADDRESS');
  const chosen = of(await publisher.remoteOf(branch)) ?? of('origin');
  if (chosen !== undefined) return chosen;
  if (remotes.length === 1) return only;
  throw new Refusal(2, `there are several remotes: ${names}`, 'skeleton pr --remote NAME');
}

import {
  openHouse,
  openPublisher,
  planPathIn,
  stoppingWith,
  type Environment,
  type House,
} from '../compose.ts';
import {
  forgeTools,
  toolOfHost,
  type ForgeAddress,
  type ForgeTool,
} from '../core/forge-address.ts';
import {
  addressIn,
  createCall,
  listCall,
  newPage,
  readList,
  updateCall,
  type OpenPull,
  type Proposal,
} from '../core/pull-request.ts';
import { shellWord } from '../core/shell-word.ts';
import { oneLine } from '../core/text.ts';
import { Refusal, type Publisher } from '../ports.ts';
import { wayOf, type Way } from './pull-request-way.ts';
import { commandsByHand } from './pull-request-by-hand.ts';
import { textOfPull, type PullText } from './pull-request-text.ts';

export interface PullOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  readonly planPath?: string;
  /** Branch that it is to be merged into; undefined: the remote's default, or an open one's own. */
  readonly base?: string;
  readonly remote?: string;
  readonly title?: string;
  readonly draft: boolean;
  /** Checkpoints and proofs go along. */
  readonly tags: boolean;
  readonly signal: AbortSignal;
  readonly onNotice: (message: string) => void;
}

export interface PullResult {
  /** `by-hand`: neither gh nor glab is there, so nothing was pushed, and `commands` says what to run. */
  readonly action: 'created' | 'updated' | 'by-hand';
  readonly url: string | undefined;
  readonly branch: string;
  readonly base: string;
  readonly remote: string;
  readonly title: string;
  /** Full names of what was pushed. */
  readonly pushed: readonly string[];
  readonly commands: readonly string[];
}

/**
 * Pushes the current branch, never by force, and opens a pull request of it, or sets the text of the open one anew
 * (docs/pull-requests.md). Throws Refusal: 2 for a remote or a base that is not there, 3 where nothing was pushed, 4 where the
 * branch is pushed and gh or glab would not go on. Takes no lock.
 */
export async function openPull(options: PullOptions): Promise<PullResult> {
  return stoppingWith(options.signal, async () => {
    const house = await openHouse(options.cwd, options.env);
    const publisher = await openPublisher(options.cwd, options.env);
    const planPath = planPathIn(house.facts.top, options.cwd, options.planPath);
    const way = await wayOf(house, publisher, options);
    const text = await textOfPull(house, planPath, options);
    for (const notice of text.notices) options.onNotice(notice);
    const job: Job = {
      ...way,
      options,
      publisher,
      text,
      refs: await refsOf(way, publisher, text, options),
    };
    const desk = await deskOf(way, options.env);
    return desk === undefined ? byHand(job, house) : propose(job, desk);
  });
}

interface Job extends Way {
  readonly options: PullOptions;
  readonly publisher: Publisher;
  readonly text: PullText;
  /** What is to be pushed. */
  readonly refs: readonly string[];
}

async function refsOf(
  { branch, isPushed }: Way,
  publisher: Publisher,
  { slug }: PullText,
  { tags }: PullOptions,
): Promise<readonly string[]> {
  const own = isPushed ? [] : [`refs/heads/${branch}`];
  return tags ? [...own, ...(await publisher.checkpointRefs(slug))] : own;
}

/** Of a host that nothing is known of, whichever of the two is there: it knows its own hosts. */
async function deskOf({ place, forge }: Way, env: Environment): Promise<Desk | undefined> {
  if (place === undefined) return undefined;
  const known = toolOfHost(place.host, env);
  for (const tool of known === undefined ? forgeTools : [known])
    if (await forge.isInstalled(tool)) return { tool, place };
  return undefined;
}

/** Where pull requests are opened, and with what. */
interface Desk {
  readonly tool: ForgeTool;
  readonly place: ForgeAddress;
}

async function byHand(job: Job, house: House): Promise<PullResult> {
  const proposal = proposalOf(job);
  const { place, options } = job;
  const tool = place === undefined ? undefined : toolOfHost(place.host, options.env);
  const page = place === undefined ? undefined : newPage(tool, place, proposal);
  const where = { tool, place, remote: job.remote.name, refs: job.refs };
  const commands = await commandsByHand(house.stateFolder, proposal, where);
  return { ...resultOf(job, proposal), action: 'by-hand', url: page, pushed: [], commands };
}

function proposalOf({ branch, base, options, text }: Job): Proposal {
  const { title = text.title, draft } = options;
  return { branch, base, title, body: text.body, draft };
}

function resultOf(
  { branch, remote }: Way,
  { title, base }: Proposal,
): Omit<PullResult, 'action' | 'url' | 'pushed' | 'commands'> {
  return { branch, base, remote: remote.name, title };
}

/** Asked for open ones first: where that does not work, nothing is pushed. */
async function propose(job: Job, { tool, place }: Desk): Promise<PullResult> {
  const { branch, refs, remote, publisher, options } = job;
  const open = await openOne(job, { tool, place });
  if (refs.length > 0) await publisher.push(remote.name, refs);
  const proposal = { ...proposalOf(job), base: open?.base ?? job.base };
  const { title, base } = options;
  const call =
    open === undefined
      ? createCall(tool, place, proposal)
      : updateCall(tool, place, { number: open.number, body: proposal.body, title, base });
  const end = await job.forge.call(call, options.signal);
  if ('wrong' in end)
    throw new Refusal(
      4,
      `${end.wrong}; ${oneLine(branch)} is pushed to ${oneLine(remote.name)}`,
      'mend that; then the same command again, which pushes nothing twice',
    );
  return {
    ...resultOf(job, { ...proposal, base: base ?? proposal.base }),
    action: open === undefined ? 'created' : 'updated',
    url: open?.url ?? addressIn(end.said),
    pushed: refs,
    commands: [],
  };
}

/** Of several, the one into the base that was asked for; else the first. */
async function openOne(
  { branch, base, forge, options }: Job,
  { tool, place }: Desk,
): Promise<OpenPull | undefined> {
  const end = await forge.call(listCall(tool, place, branch), options.signal);
  const list = 'said' in end ? readList(tool, end.said) : undefined;
  if (list !== undefined) return list.find((one) => one.base === base) ?? list[0];
  const why = 'wrong' in end ? end.wrong : `${tool} gave no list of pull requests`;
  throw new Refusal(
    3,
    `${why}; nothing was pushed`,
    `${tool} auth status     to sign in: ${tool} auth login --hostname ${shellWord(place.host)}`,
  );
}

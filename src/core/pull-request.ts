import type { ForgeAddress, ForgeTool } from './forge-address.ts';

/** What is proposed. */
export interface Proposal {
  /** Short names. */
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly draft: boolean;
}

/** What of an open pull request is set anew; what is undefined stays. */
export interface Update {
  readonly number: number;
  readonly body: string;
  readonly title: string | undefined;
  readonly base: string | undefined;
}

/** A command and what it gets on standard input; undefined: nothing. */
export interface ToolCall {
  readonly tool: ForgeTool;
  readonly args: readonly string[];
  readonly input?: string | undefined;
}

/** How many open pull requests of one branch are looked at: there is one, or one for each base. */
const MOST_OPEN = 30;

/** Lists the open pull requests of a branch, as JSON (gh-pr-list(1), glab-mr-list(1)). */
export function listCall(tool: ForgeTool, place: ForgeAddress, branch: string): ToolCall {
  if (tool === 'gh') {
    const which = ['--head', branch, '--state', 'open', '--limit', String(MOST_OPEN)];
    const fields = 'number,url,baseRefName,isCrossRepository';
    return { tool, args: ['pr', 'list', '--repo', ghName(place), ...which, '--json', fields] };
  }
  const which = ['--source-branch', branch, '--per-page', String(MOST_OPEN)];
  return { tool, args: ['mr', 'list', '--repo', webAddress(place), ...which, '--output', 'json'] };
}

/** Opens one (gh-pr-create(1), glab-mr-create(1)). glab reads no text from standard input. */
export function createCall(tool: ForgeTool, place: ForgeAddress, proposal: Proposal): ToolCall {
  const { branch, base, title, body, draft } = proposal;
  const drafted = draft ? ['--draft'] : [];
  if (tool === 'gh') {
    const which = ['--head', branch, '--base', base, '--title', title, '--body-file', '-'];
    const args = ['pr', 'create', '--repo', ghName(place), ...which, ...drafted];
    return { tool, args, input: body };
  }
  const from = ['--head', place.path, '--source-branch', branch, '--target-branch', base];
  const text = ['--title', title, '--description', body];
  const args = ['mr', 'create', '--repo', webAddress(place), ...from, ...text, ...drafted, '--yes'];
  return { tool, args };
}

/** Sets an open one's text anew (gh-pr-edit(1), glab-mr-update(1)). */
export function updateCall(tool: ForgeTool, place: ForgeAddress, update: Update): ToolCall {
  const { number, body, title, base } = update;
  const titled = title === undefined ? [] : ['--title', title];
  const based = (flag: string): readonly string[] => (base === undefined ? [] : [flag, base]);
  if (tool === 'gh') {
    const which = [String(number), '--repo', ghName(place), '--body-file', '-'];
    return { tool, args: ['pr', 'edit', ...which, ...titled, ...based('--base')], input: body };
  }
  const which = [String(number), '--repo', webAddress(place), '--description', body];
  return { tool, args: ['mr', 'update', ...which, ...titled, ...based('--target-branch')] };
}

/** `OWNER/REPO`; of another host than GitHub's own with that before it. */
function ghName({ host, path }: ForgeAddress): string {
  return host === 'github.com' ? path : `${host}/${path}`;
}

function webAddress({ host, path }: ForgeAddress): string {
  return `https://${host}/${path}`;
}

/** The page on which a person opens it by hand; undefined where the host's kind is not known. */
export function newPage(
  tool: ForgeTool | undefined,
  place: ForgeAddress,
  { branch, base }: Pick<Proposal, 'branch' | 'base'>,
): string | undefined {
  const name = (text: string): string => text.split('/').map(encodeURIComponent).join('/');
  if (tool === 'gh') return `${webAddress(place)}/compare/${name(base)}...${name(branch)}?expand=1`;
  if (tool === undefined) return undefined;
  const asked = `merge_request[source_branch]=${encodeURIComponent(branch)}&merge_request[target_branch]=${encodeURIComponent(base)}`;
  return `${webAddress(place)}/-/merge_requests/new?${asked}`;
}

export interface OpenPull {
  readonly number: number;
  readonly url: string;
  /** Short name. */
  readonly base: string;
}

/**
 * The open pull requests that a list names, those of another repository's branch of the same name left out. Undefined where
 * that is no such list.
 */
export function readList(tool: ForgeTool, text: string): readonly OpenPull[] | undefined {
  let list: unknown;
  try {
    // glab prints nothing, or a sentence, where it finds none.
    list = tool === 'glab' && !text.trimStart().startsWith('[') ? [] : JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((one: unknown) => (tool === 'gh' ? ofGitHub(one) : ofGitLab(one)) ?? []);
}

type Fields = Readonly<Record<string, unknown>>;

function ofGitHub(one: unknown): OpenPull | undefined {
  const { number, url, baseRefName, isCrossRepository } = (one ?? {}) as Fields;
  return isCrossRepository === true ? undefined : pull(number, url, baseRefName);
}

function ofGitLab(one: unknown): OpenPull | undefined {
  const fields = (one ?? {}) as Fields;
  if (fields['source_project_id'] !== fields['target_project_id']) return undefined;
  return pull(fields['iid'], fields['web_url'], fields['target_branch']);
}

function pull(number: unknown, url: unknown, base: unknown): OpenPull | undefined {
  if (typeof number !== 'number' || typeof url !== 'string' || typeof base !== 'string')
    return undefined;
  return { number, url, base };
}

/** The last address that a program printed: that of what it made. */
export function addressIn(text: string): string | undefined {
  return text.match(/https?:\/\/[^\s<>"']+/g)?.at(-1);
}

/** The plan's first heading of level 1; undefined where it has none. */
export function planTitle(preamble: string): string | undefined {
  const title = /^ {0,3}#[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(preamble)?.[1]?.trim();
  return title === '' ? undefined : title;
}

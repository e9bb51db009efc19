import type { Block, Heading } from './blocks.ts';
import { textOf, type Lines } from './lines.ts';
import type { Draft, Group, Outline } from './outline.ts';
import type { Ignored } from './plan.ts';
import { quote, type Problem } from './problem.ts';
import { readSection } from './section.ts';
import { isAlmostTaskHeading, readAnyHeading, readTaskHeading, type Title } from './titles.ts';

/** A task's heading, with the blocks of its section: `index` is its own, `after` the first that is no longer in it. */
interface Entry {
  readonly heading: Heading;
  readonly title: Title;
  readonly index: number;
  readonly after: number;
}

/** A plan of headings: those of one level, or, without a level, those that read like a task's (contract, "PLAN.md"). */
export function headingOutline(
  lines: Lines,
  blocks: readonly Block[],
  level: number | undefined,
): Outline {
  const entries = entriesOf(blocks, (heading) => titleOf(heading, level));
  const { drafts, groups, notices } = nest(lines, blocks, entries);
  const tasks = entries.filter((entry, index) => !isGroup(entry, entries[index + 1]));
  return {
    form: 'headings',
    drafts,
    groups,
    ignored: boxesOutside(blocks, tasks),
    first: entries[0]?.heading.line,
    notices: [...notices, ...(level === undefined ? almostTasks(blocks) : [])],
  };
}

function titleOf(heading: Heading, level: number | undefined): Title | undefined {
  if (level !== undefined)
    return heading.level === level ? readAnyHeading(heading.text) : undefined;
  return heading.level >= 2 && heading.level <= 4 ? readTaskHeading(heading.text) : undefined;
}

/** A section goes up to the next heading that is not deeper. */
function entriesOf(
  blocks: readonly Block[],
  read: (heading: Heading) => Title | undefined,
): readonly Entry[] {
  const entries: Entry[] = [];
  const open: { readonly level: number; readonly close: (after: number) => void }[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== 'heading') continue;
    while ((open.at(-1)?.level ?? 0) >= block.level) open.pop()?.close(index);
    const title = read(block);
    if (!title) continue;
    const at = entries.push({ heading: block, title, index, after: blocks.length }) - 1;
    const close = (after: number): void => {
      entries[at] = { heading: block, title, index, after };
    };
    open.push({ level: block.level, close });
  }
  return entries;
}

/** A task heading with task headings inside. */
function isGroup(entry: Entry, next: Entry | undefined): boolean {
  return next !== undefined && next.index < entry.after;
}

interface Nested {
  readonly drafts: readonly Draft[];
  readonly groups: readonly Group[];
  readonly notices: readonly Problem[];
}

/** `around`: the own texts of the groups that an entry is in, from the outermost. */
function nest(lines: Lines, blocks: readonly Block[], entries: readonly Entry[]): Nested {
  const drafts: Draft[] = [];
  const groups: Group[] = [];
  const notices: Problem[] = [];
  const open: { readonly after: number; readonly around: string }[] = [];
  for (const [at, entry] of entries.entries()) {
    while ((open.at(-1)?.after ?? Infinity) <= entry.index) open.pop();
    const around = open.at(-1)?.around ?? '';
    const members = membersOf(entries, at);
    if (members.length === 0) {
      drafts.push(draftOf(lines, blocks, entry, around));
      continue;
    }
    const leaves = members.filter((member, index) => !isGroup(member, members[index + 1]));
    groups.push({ title: entry.title, from: drafts.length, to: drafts.length + leaves.length });
    for (const notice of unreadFields(lines, blocks, entry, members[0])) notices.push(notice);
    open.push({ after: entry.after, around: around + ownText(lines, blocks, entry, members) });
  }
  return { drafts, groups, notices };
}

/** All entries inside of one, at any depth. */
function membersOf(entries: readonly Entry[], at: number): readonly Entry[] {
  const after = entries[at]?.after ?? 0;
  let end = at + 1;
  while ((entries[end]?.index ?? Infinity) < after) end += 1;
  return entries.slice(at + 1, end);
}

/** What of a group's section is in no member's. */
function ownText(
  lines: Lines,
  blocks: readonly Block[],
  group: Entry,
  members: readonly Entry[],
): string {
  const lineOf = (index: number): number => blocks[index]?.line ?? lines.all.length + 1;
  const parts: string[] = [];
  let from = group.heading.line;
  for (const member of members) {
    // A member of a member is behind the place that is reached already.
    if (member.heading.line >= from) parts.push(textOf(lines, from, member.heading.line));
    from = Math.max(from, lineOf(member.after));
  }
  parts.push(textOf(lines, from, lineOf(group.after)));
  return parts
    .filter((part) => part !== '')
    .map((part) => `${part}\n\n`)
    .join('');
}

const ofText = ['goal', 'files', 'acceptance'];

function unreadFields(
  lines: Lines,
  blocks: readonly Block[],
  group: Entry,
  first: Entry | undefined,
): readonly Problem[] {
  const own = blocks.slice(group.index + 1, first?.index);
  const { fields } = readSection(lines, own, { depth: 0, columns: undefined });
  return fields
    .filter(({ field }) => !ofText.includes(field))
    .map(({ line, label }) => ({
      line,
      message: `${quote(label)} of a group is not read: write it under its tasks`,
    }));
}

function draftOf(lines: Lines, blocks: readonly Block[], entry: Entry, around: string): Draft {
  const { heading, title, index, after } = entry;
  const end = blocks[after]?.line ?? lines.all.length + 1;
  const inside = blocks.slice(index + 1, after);
  return {
    line: heading.line,
    body: heading.end,
    end,
    title,
    box: undefined,
    section: readSection(lines, inside, { depth: 0, columns: undefined }),
    text: around + textOf(lines, heading.line, end),
  };
}

/** Boxes in no task's section. */
function boxesOutside(blocks: readonly Block[], tasks: readonly Entry[]): readonly Ignored[] {
  const outside: Ignored[] = [];
  let next = 0;
  for (const [index, block] of blocks.entries()) {
    while ((tasks[next]?.after ?? Infinity) <= index) next += 1;
    const within = index > (tasks[next]?.index ?? Infinity);
    if (within || block.kind !== 'item' || !block.box) continue;
    outside.push({ line: block.box.line, why: "in no task's section" });
  }
  return outside;
}

function almostTasks(blocks: readonly Block[]): readonly Problem[] {
  return headingsIn(blocks)
    .filter(({ level, text }) => level >= 2 && level <= 4 && isAlmostTaskHeading(text))
    .filter(({ text }) => !readTaskHeading(text))
    .map(({ line, text }) => ({
      line,
      message: `${quote(text)} is no task: after the id, write a dash or a colon`,
    }));
}

function headingsIn(blocks: readonly Block[]): readonly Heading[] {
  return blocks.filter((block) => block.kind === 'heading');
}

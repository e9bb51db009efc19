/** prd.json of snarktank/ralph and of ralph-tui: `userStories[]`; only the second knows `dependsOn`. */
import { paragraphs, type ReadOptions } from './dialect.ts';
import { bareTask, type Source, type SourceTask } from './draft.ts';
import { readJson, type JsonNode } from './json.ts';
import { rowOf, type Row } from './json-row.ts';

export function isPrd(node: JsonNode): boolean {
  return node.kind === 'object' && node.entries.get('userStories')?.kind === 'array';
}

/**
 * `priority` is the order, 1 first. Where a story names what it depends on, one without a name depends on nothing; where
 * none does, each waits for the one before it, as those loops take them.
 */
export function readPrd(text: string, { log }: ReadOptions): Source {
  const root = readJson(text);
  if (root.kind !== 'object' || !isPrd(root)) {
    log.problem(root.line, 'no prd.json: expected an object with a list `userStories`');
    return { title: '', preamble: '', tasks: [] };
  }
  const row = rowOf(root, '', log);
  const title = row.text('project', 'title of the plan');
  const name = row.text('name', 'title of the plan');
  const preamble = paragraphs(
    ['', title !== '' && name !== '' ? name : ''],
    ['', row.text('description', 'text before the tasks')],
  );
  const stories = row.rows('userStories', 'a task');
  const isOrder = !stories.some((story) => story.has('dependsOn'));
  const tasks = stories.map((story) => taskOf(story, isOrder));
  row.leave();
  return { title: title || name, preamble, tasks };
}

function taskOf(story: Row, isOrder: boolean): SourceTask {
  const done = story.flag('passes', '[x] where it is true') === true;
  const needs = story.words('dependsOn', 'needs');
  const task: SourceTask = {
    ...bareTask,
    id: story.word('id', 'id'),
    title: story.text('title', 'title'),
    state: done ? 'done' : 'pending',
    needs: isOrder ? undefined : needs.map(({ text, line }) => ({ id: text, line })),
    text: paragraphs(
      ['', story.text('description', 'text')],
      ['Notes', story.text('notes', 'text')],
      ['Labels', labels(story)],
      ['Completed', story.text('completionNotes', 'text')],
    ),
    acceptance: story
      .words('acceptanceCriteria', 'acceptance, as boxes')
      .map((criterion) => ({ text: criterion.text, done })),
    line: story.line,
    rank: story.number('priority', 'order') ?? Number.MAX_SAFE_INTEGER,
  };
  story.leave();
  return task;
}

function labels(story: Row): string {
  return story
    .words('labels', 'text')
    .map(({ text }) => text)
    .join(', ');
}

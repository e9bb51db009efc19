import { tool, type Tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { clip, excerpt } from '../../core/text.ts';
import { runCommand } from '../../exec/run-command.ts';
import { openWorkFiles } from './files.ts';
import type { BuiltInLine } from './line.ts';
import { MOST_SHOWN, shown } from './shown.ts';

const MINUTE = 60_000;
const MOST_OUTPUT = 20_000;
const MOST_LINES = 300;

type Print = (line: BuiltInLine) => void;

/** The six things that the model can do in a work tree; what goes wrong with one is told to it, not thrown. */
export function openTools(top: string, print: Print): ToolSet {
  return { ...readingTools(top, print), ...changingTools(top, print) };
}

const path = z.string().min(1).describe('relative to the top of the work tree');

function readingTools(top: string, print: Print): ToolSet {
  const files = openWorkFiles(top);
  const make = maker(print);
  return {
    read: make('read', 'Reads a text file, or some of its lines.', {
      input: z.object({
        path,
        from: z.int().min(1).default(1),
        lines: z.int().min(1).default(2000),
      }),
      perform: (asked) => files.read(asked.path, asked.from, asked.lines),
    }),
    list: make('list', 'Lists a folder.', {
      input: z.object({ path: path.default('.') }),
      perform: (asked) => files.list(asked.path),
    }),
    search: make('search', 'Finds lines that match a regular expression, under a folder.', {
      input: z.object({ pattern: z.string().min(1), path: path.default('.') }),
      perform: (asked) => files.search(asked.pattern, asked.path),
    }),
  };
}

function changingTools(top: string, print: Print): ToolSet {
  const files = openWorkFiles(top);
  const make = maker(print);
  return {
    write: make('write', 'Writes a whole file; folders on the way are made.', {
      input: z.object({ path, content: z.string() }),
      perform: (asked) => files.write(asked.path, asked.content),
    }),
    edit: make('edit', 'Replaces a piece of a file that is in it exactly once.', {
      input: z.object({ path, old_string: z.string().min(1), new_string: z.string() }),
      perform: (asked) => files.edit(asked.path, asked.old_string, asked.new_string),
    }),
    bash: make(
      'bash',
      'Runs a shell command at the top of the work tree; says status and output.',
      {
        input: z.object({
          command: z.string().min(1),
          minutes: z.number().positive().max(30).default(5).describe('time limit'),
        }),
        perform: async ({ command, minutes }) => runShell(top, command, minutes * MINUTE),
      },
    ),
  };
}

async function runShell(top: string, command: string, timeoutMs: number): Promise<string> {
  const line = { file: 'sh', args: ['-c', `{ ${command}\n} 2>&1`], cwd: top, env: environment() };
  const { stdout, timedOut, code, signal } = await runCommand({ ...line, timeoutMs });
  const output = stdout.toString('utf8');
  const said = excerpt(output, output, { lines: MOST_LINES, bytes: MOST_OUTPUT });
  return `${timedOut ? 'out of time' : `exit ${code ?? String(signal)}`}\n${said}`;
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}

interface Work<S extends z.ZodType> {
  readonly input: S;
  readonly perform: (input: z.output<S>) => string | Promise<string>;
}

type Make = <S extends z.ZodType>(name: string, description: string, work: Work<S>) => Tool;

function maker(print: Print): Make {
  return (name, description, { input: inputSchema, perform }) =>
    tool({
      description,
      inputSchema,
      execute: async (input) => {
        // The SDK has validated it; its types lose what the schema makes of it.
        const output = await told(() => perform(inputSchema.parse(input)));
        print({ type: 'tool', name, input: shown(input), output: clip(output, MOST_SHOWN) });
        return output;
      },
    });
}

async function told(perform: () => string | Promise<string>): Promise<string> {
  try {
    return await perform();
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import yaml from 'js-yaml';

/** A runner of GitHub Actions, as far as a composite action needs one: variables, files, and which lines are commands. */

export interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

export interface ActionResult {
  /** Of the step that ended it, else 0. */
  readonly status: number | null;
  /** Standard output and standard error as one, as the runner's log has them. */
  readonly log: string;
  readonly commands: readonly Command[];
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

interface Step {
  readonly id?: string;
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export const action = yaml.safeLoad(readFileSync('action.yml', 'utf8')) as Action;

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Partial<Step>[] }>>;
}

/** Of the workflow that `skeleton init` writes. */
export function workflowSteps(): readonly Partial<Step>[] {
  const workflow = yaml.safeLoad(readFileSync('templates/init/workflow.yml', 'utf8')) as Workflow;
  return Object.values(workflow.jobs).flatMap(({ steps }) => steps);
}

/** Runs the action in a checkout, with inputs as `with:` would give them. `outside`: where the runner keeps its files. */
export async function runAction(
  checkout: string,
  outside: string,
  inputs: Readonly<Record<string, string>>,
  variables: NodeJS.ProcessEnv = {},
): Promise<ActionResult> {
  const files = makeFiles(outside);
  const known = (expression: string): string => {
    const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
    if (input !== undefined) return inputs[input] ?? action.inputs[input]?.default ?? '';
    if (expression === 'github.action_path') return resolve('.');
    throw new Error(`the runner of this test does not know ${expression}`);
  };
  let log = '';
  let status: number | null = 0;
  for (const { run, env } of action.runs.steps) {
    const given = Object.entries(env).map(([name, value]) => [name, evaluate(value, known)]);
    const script = join(files.folder, 'step.sh');
    writeFileSync(script, evaluate(run, known));
    const ended = await bash(script, checkout, {
      ...process.env,
      ...files.env,
      ...variables,
      ...(Object.fromEntries(given) as NodeJS.ProcessEnv),
    });
    log += ended.log;
    status = ended.status;
    if (status !== 0) break;
  }
  return {
    status,
    log,
    commands: commandsIn(log),
    summary: readFileSync(files.env.GITHUB_STEP_SUMMARY, 'utf8'),
    outputs: outputsIn(readFileSync(files.env.GITHUB_OUTPUT, 'utf8')),
  };
}

function evaluate(text: string, known: (expression: string) => string): string {
  return text.replace(/\$\{\{ *(.+?) *\}\}/g, (_, expression: string) => known(expression));
}

interface Files {
  readonly folder: string;
  readonly env: {
    readonly GITHUB_ACTIONS: string;
    readonly CI: string;
    readonly GITHUB_OUTPUT: string;
    readonly GITHUB_STEP_SUMMARY: string;
  };
}

function makeFiles(outside: string): Files {
  mkdirSync(outside, { recursive: true });
  const folder = mkdtempSync(join(outside, 'runner files '));
  const [output, summary] = ['output', 'summary'].map((name) => join(folder, name));
  if (output === undefined || summary === undefined) throw new Error('no files');
  for (const file of [output, summary]) writeFileSync(file, '');
  const env = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  return { folder, env: { GITHUB_ACTIONS: 'true', CI: 'true', ...env } };
}

function bash(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly status: number | null; readonly log: string }> {
  const args = ['--noprofile', '--norc', '-e', '-o', 'pipefail', script];
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (status) => done({ status, log }));
  });
}

const registered: ReadonlySet<string> = new Set([
  ...['add-mask', 'add-matcher', 'add-path', 'debug', 'echo', 'endgroup', 'error', 'group'],
  ...[
    'notice',
    'remove-matcher',
    'save-state',
    'set-env',
    'set-output',
    'stop-commands',
    'warning',
  ],
]);

/** The lines that actions/runner takes for commands (ActionCommand.cs: TryParseV2, then TryParse). */
export function commandsIn(log: string): readonly Command[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => commandIn(line));
}

function commandIn(line: string): readonly Command[] {
  const [, info, data = ''] =
    /^[\s\u0085]*::(.*?)::(.*)$/u.exec(line) ?? /##\[(.*?)\](.*)$/.exec(line) ?? [];
  const [name = '', ...rest] = (info ?? '').split(' ');
  if (!registered.has(name)) return [];
  const pairs = rest
    .join(' ')
    .split(/[,;]/)
    .filter((pair) => pair !== '');
  const properties = Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), decoded(pair.slice(at + 1))];
    }),
  );
  return [{ name, properties, data: decoded(data) }];
}

function decoded(text: string): string {
  const marks = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%25': '%' };
  return Object.entries(marks).reduce((all, [mark, char]) => all.replaceAll(mark, char), text);
}

/** Both forms: `name=value`, and a value with line breaks between two delimiters. */
export function outputsIn(file: string): Readonly<Record<string, string>> {
  const outputs: Record<string, string> = {};
  const lines = file.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, delimiter] = /^([\w-]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    if (name !== undefined && delimiter !== undefined) {
      const end = lines.indexOf(delimiter, at);
      outputs[name] = lines.slice(at + 1, end).join('\n');
      at = end;
      continue;
    }
    const [, key, value = ''] = /^([\w-]+)=(.*)$/.exec(lines[at] ?? '') ?? [];
    if (key !== undefined) outputs[key] = value;
  }
  return outputs;
}

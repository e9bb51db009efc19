import { Option } from 'commander';
import type { Command } from 'commander';
import type { Config } from '../src/index.ts';
import { mostAttempts } from '../src/core/settings.ts';
import { ledgerOption, remoteOption } from './ledger-option.ts';
import { parseBudget, parseCount, parseLimit, parseText } from './parsers.ts';
import { planOption } from './place.ts';

/** What commander makes of the options of `run`. */
export interface RunFlags {
  readonly agent?: string;
  readonly model?: string;
  readonly agentCommand?: string;
  readonly budget?: number;
  readonly replay?: boolean;
  readonly attempts?: number;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly maxTime?: number;
  readonly maxWait?: number;
  readonly from?: string;
  readonly limit?: number;
  readonly jobs?: number;
  readonly keepGoing?: boolean;
  readonly failFast?: boolean;
  readonly autostash?: boolean;
  readonly branch?: string;
  readonly isolate?: boolean;
  readonly remote?: string;
  /** True without a key. */
  readonly once?: string | true;
  /** False with `--no-gates`. */
  readonly gates: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export function addRunOptions(command: Command): Command {
  return [
    planOption(),
    ...agentOptions(),
    ...limitOptions(),
    ...workOptions(),
    ...placeOptions(),
  ].reduce((all, one) => all.addOption(one), command);
}

function option(flags: string, text: string): Option {
  return new Option(flags, text);
}

function agentOptions(): readonly Option[] {
  return [
    option(
      '--agent <name>',
      'the coding agent: claude, codex, gemini, opencode …; skeleton doctor lists them',
    )
      .argParser(parseText)
      .conflicts('agentCommand'),
    option('--model <name>', 'the model that it uses, in its own words').argParser(parseText),
    option(
      '--agent-command <cmd>',
      'shell command that does a task; the prompt is its standard input',
    ).argParser(parseText),
    option('--replay', 'take the recorded result of an equal attempt instead of calling the agent'),
  ];
}

function limitOptions(): readonly Option[] {
  return [
    option(
      '--attempts <n>',
      `attempts for each task, 1 to ${mostAttempts} (default: ${mostAttempts})`,
    ).argParser(parseCount(mostAttempts)),
    option('--timeout <time>', 'limit of one agent step (default: 30m)').argParser(parseLimit),
    option('--idle-timeout <time>', 'end an agent that prints nothing for so long').argParser(
      parseLimit,
    ),
    option('--max-time <time>', 'limit of the whole run (default: 8h)').argParser(parseLimit),
    option(
      '--max-wait <time>',
      'limit of waiting for rate limits, summed over the run (default: 6h)',
    ).argParser(parseLimit),
    option(
      '--budget <usd>',
      'most US dollars of this run, as the agent reports them; then it stops, resumable',
    ).argParser(parseBudget),
  ];
}

function workOptions(): readonly Option[] {
  return [
    option('--from <task>', 'begin at this task').argParser(parseText),
    option('--limit <n>', 'begin at most so many tasks').argParser(parseCount()),
    option(
      '--jobs <n>',
      'most tasks that are worked on at once, each in a worktree of its own (default: 1)',
    ).argParser(parseCount(64)),
    option('--keep-going', 'after a failure, only declared needs block').conflicts('failFast'),
    option('--fail-fast', 'after a failure, nothing more starts'),
    option(
      '--autostash',
      'set uncommitted work aside for the run, and put it back exactly after it',
    ),
    option('--branch <name>', 'work on this branch; it is made at HEAD if there is none').argParser(
      parseText,
    ),
    option('--isolate', 'work in a linked worktree beside the repository; yours is left alone'),
    option('--no-gates', 'judge nothing: tasks are unjudged, and nothing proves them'),
    option('--dry-run', 'show what would be done; call nothing'),
    option('--json', 'events on standard output, one JSON object a line'),
    option('--quiet', 'only problems and the last line').conflicts('verbose'),
    option('--verbose', 'also what the agent prints'),
  ];
}

/** Where history and code are, for many machines, and whether it has been done. */
function placeOptions(): readonly Option[] {
  return [
    ledgerOption(),
    remoteOption(),
    option(
      '--once [key]',
      'do nothing where a finished run has done the same; KEY says what that is',
    ).argParser(parseText),
  ];
}

/** The flags as a layer of configuration; only what was given. */
export function configOf(flags: RunFlags): Config {
  const { agent, model, agentCommand, budget: usd, replay } = flags;
  const { attempts, timeout, idleTimeout, maxTime, maxWait, limit, jobs } = flags;
  const { keepGoing, failFast, autostash, branch, isolate, remote, gates } = flags;
  return given({
    agent,
    model,
    agentCommand,
    budget: usd === undefined ? undefined : { usd },
    replay,
    attempts,
    timeout,
    idleTimeout,
    maxTime,
    maxWait,
    limit,
    jobs,
    keepGoing,
    failFast,
    autostash,
    branch,
    isolate,
    remote,
    noGates: gates ? undefined : true,
  });
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The same without the keys that hold undefined: in a configuration, those would be set. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Given<T>;
}

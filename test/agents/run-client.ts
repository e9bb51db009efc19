import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Preset } from '../../src/agent/preset.ts';
import { openReader, type Reading, type ClientExit, type Tokens } from '../../src/agent/reading.ts';
import { runStep, type StepEnd } from '../../src/exec/run-step.ts';
import type { Client } from './clients.ts';
import type { Scenario } from './scenarios.ts';

const server = fileURLToPath(new URL('fake-llm/server.mjs', import.meta.url));

/** A client that was installed for these tests only. */
export interface Installed {
  readonly folder: string;
  readonly bin: string;
}

/** Throws what npm says. AGENTS_FOLDER names a folder of earlier installations to use instead, one for each preset. */
export function install({ name, pack }: Client, program: string): Installed {
  const kept = process.env['AGENTS_FOLDER'];
  const folder =
    kept === undefined ? mkdtempSync(join(tmpdir(), `client ${name} `)) : join(kept, name);
  const installed = { folder, bin: join(folder, 'node_modules/.bin', program) };
  if (kept !== undefined) return installed;
  try {
    fetchPackage(folder, pack);
  } catch (error) {
    remove(installed);
    throw error;
  }
  return installed;
}

function fetchPackage(folder: string, pack: string): void {
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--no-save'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, pack], {
    cwd: folder,
    env: {
      ...process.env,
      // The suite's own home knows nothing of how this machine reaches its packages.
      HOME: userInfo().homedir,
      // Ours is strict. Some clients ask for a newer Node than they need: they are native programs.
      npm_config_engine_strict: 'false',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 300_000,
  });
}

export function remove({ folder }: Installed): void {
  if (process.env['AGENTS_FOLDER'] === undefined)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A repository and a home of their own, and a scripted model, for one run or several in a row. */
export interface Ground {
  readonly root: string;
  readonly top: string;
  readonly home: string;
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function openGround(rule: Scenario['rule']): Promise<Ground> {
  const root = mkdtempSync(join(tmpdir(), 'ground '));
  const [top, home] = [join(root, 'repo'), join(root, 'home')];
  for (const folder of [top, home, join(root, 'tmp')]) mkdirSync(folder);
  execFileSync('git', ['init', '--quiet'], { cwd: top });
  writeFileSync(join(root, 'scenario.json'), JSON.stringify({ rules: [rule] }));
  const args = [server, '--scenario', join(root, 'scenario.json')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString()));
  });
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    root,
    top,
    home,
    url,
    close: async () => {
      child.kill();
      await ended;
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export interface Call {
  readonly installed: Installed;
  readonly client: Client;
  readonly preset: Preset;
  readonly ground: Ground;
  readonly scenario: Scenario;
  readonly session?: string | undefined;
  readonly earlier?: Tokens;
}

export interface Run {
  readonly reading: Reading;
  readonly exit: ClientExit;
  readonly stdout: string;
  readonly at: Date;
}

const longest = 240_000;

/** One headless run, as a run of ours makes it. */
export async function runClient(call: Call): Promise<Run> {
  const { preset, ground, scenario } = call;
  const promptFile = join(ground.root, 'prompt.md');
  const prompt = 'Please add a greeting in hello.txt.\n';
  writeFileSync(promptFile, prompt);
  const { args, stdin } = preset.command({
    promptFile,
    model: call.client.model,
    session: call.session,
    permissions: 'bypass',
  });
  const stderrFile = join(ground.root, 'stderr');
  const chunks: Uint8Array[] = [];
  const step = await runStep({
    command: {
      file: '/bin/sh',
      args: ['-c', `exec "$@" 2> '${stderrFile}'`, 'sh', call.installed.bin, ...args],
    },
    cwd: ground.top,
    env: environment(call),
    ...(stdin === 'prompt' && { input: prompt }),
    token: `agents/${process.pid}/${Math.trunc(performance.now())}`,
    timeoutMs: scenario.cutAfter ?? longest,
    logPath: join(ground.root, 'agent.log'),
    onOutput: (chunk) => chunks.push(new Uint8Array(chunk)),
  });
  const at = new Date();
  const stderrTail = readFileSync(stderrFile, 'utf8').slice(-8192);
  const exit = { ...exitOf(step.end), stderrTail };
  const stdout = Buffer.concat(chunks);
  const options = { now: () => at, ...(call.earlier && { earlier: call.earlier }) };
  const reader = openReader(preset, options);
  reader.take(stdout);
  return { reading: reader.finish(exit), exit, stdout: stdout.toString(), at };
}

function exitOf(end: StepEnd): Omit<ClientExit, 'stderrTail'> {
  if (end.kind === 'exit') return { exit: end.code, signal: null };
  if (end.kind === 'timeout') return { exit: null, signal: 'SIGTERM' };
  throw new Error(`the client ended as ${JSON.stringify(end)}`);
}

function environment({ client, preset, ground, scenario }: Call): Record<string, string> {
  const { env, files } = client.ground({
    url: ground.url,
    home: ground.home,
    signedIn: scenario.signedOut !== true,
    subscription: scenario.subscription === true,
  });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(ground.home, path)), { recursive: true });
    writeFileSync(join(ground.home, path), text);
  }
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: ground.home,
    TMPDIR: join(ground.root, 'tmp'),
    TERM: 'dumb',
    TZ: 'UTC',
    ...preset.env({ root: process.getuid?.() === 0 }),
    ...env,
  };
}

import { readdirSync, readFileSync } from 'node:fs';
import { openReader, type Reading, type ReaderOptions } from '../../../../src/agent/reading.ts';
import type { Preset } from '../../../../src/agent/preset.ts';
import type { Recording } from '../../../agents/recording.ts';

const folder = new URL('../../../fixtures/agents/', import.meta.url);

/** What the real clients printed; `npm run test:agents` with RECORD=1 makes them. */
export function recordingsOf(client: string): readonly (readonly [string, Recording])[] {
  const path = new URL(`${client}/`, folder);
  return readdirSync(path)
    .map((file) => file.replace('.json', ''))
    .sort()
    .map((name) => [
      name,
      JSON.parse(readFileSync(new URL(`${name}.json`, path), 'utf8')) as Recording,
    ]);
}

export function recordingOf(client: string, scenario: string): Recording {
  const found = recordingsOf(client).find(([name]) => name === scenario);
  if (found === undefined) throw new Error(`no recording ${client}/${scenario}`);
  return found[1];
}

export interface Output {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exit?: number | null;
}

/** Reads an output, `piece` bytes at a time. */
export function readOutput(
  preset: Preset,
  { stdout, stderr = '', exit = 0 }: Output,
  options: Partial<ReaderOptions> & { readonly piece?: number } = {},
): Reading {
  const { piece = 1 << 16, ...given } = options;
  const reader = openReader(preset, { now: () => new Date('2026-11-29T12:00:00Z'), ...given });
  const bytes = Buffer.from(stdout);
  // As the real one, it hands out a buffer that it uses again.
  const buffer = Buffer.alloc(piece);
  for (let at = 0; at < bytes.length; at += piece) {
    const length = bytes.copy(buffer, 0, at, at + piece);
    reader.take(buffer.subarray(0, length));
  }
  return reader.finish({ exit, signal: exit === null ? 'SIGTERM' : null, stderrTail: stderr });
}

export function read(preset: Preset, recording: Recording, piece?: number): Reading {
  const { stdout, stderr, exit, at } = recording;
  const output = { stdout: stdout.join('\n'), stderr: stderr.join('\n'), exit };
  return readOutput(preset, output, {
    now: () => new Date(at),
    ...(piece !== undefined && { piece }),
  });
}

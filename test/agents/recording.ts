import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from './clients.ts';
import type { Run } from './run-client.ts';

/** What a real client printed, as the tests of the readers have it. */
export interface Recording {
  readonly client: string;
  /** The time of its end, for what it says of times; its time zone was UTC. */
  readonly at: string;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

const fixtures = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));

/** With RECORD=1: writes the fixture anew, with nothing of this machine in it. */
export function record(
  client: Client,
  scenario: string,
  { exit, stdout, at }: Run,
  hide: Hide,
): void {
  if (process.env['RECORD'] !== '1') return;
  const scrub = scrubber(hide);
  const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
  const recording: Recording = {
    client: client.pack,
    at: at.toISOString(),
    exit: exit.exit,
    signal: exit.signal,
    stdout: lines(scrub(stdout)).filter(isNews),
    stderr: lines(scrub(exit.stderrTail)).filter(isNews).slice(-12),
  };
  const path = `${fixtures}${client.name}/${scenario}.json`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(recording, undefined, 1)}\n`);
}

/** Long lists of what the client has to offer, and stack traces, are none. */
function isNews(line: string): boolean {
  const isList =
    /^\{"type":"(?:session\.(?:skills|mcp_servers)_loaded|session\.tools_updated)"/.test(line);
  return !isList && !/^\s+at /.test(line);
}

export interface Hide {
  readonly ground: string;
  readonly client: string;
}

const ids =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?:ses|prt|msg)_[0-9A-Za-z]{20,}|\b(?:conv|agent)_\d{10,}_\w+/g;

function scrubber({ ground, client }: Hide): (text: string) => string {
  const known = new Map<string, string>();
  const nameOf = (id: string): string => {
    const kind = /^[a-z]+_/.exec(id)?.[0] ?? '00000000-0000-4000-8000-';
    const name = known.get(id) ?? `${kind}${(known.size + 1).toString().padStart(12, '0')}`;
    known.set(id, name);
    return name;
  };
  const dashed = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-');
  return (text) =>
    text
      .replaceAll(ground, '/tmp/ground')
      .replaceAll(encodeURI(client), '/opt/client')
      .replaceAll(client, '/opt/client')
      .replaceAll(dashed(ground), '-tmp-ground')
      .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:4010')
      .replace(/file:\/\/\S*?node_modules\//g, 'file:///opt/client/node_modules/')
      .replace(ids, nameOf);
}

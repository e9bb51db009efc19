import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileSources } from '../../support/compiled-sources.ts';

const room = join('src', 'exec');

/** The exec room as JavaScript, for programs that a test starts: Node 20 runs no TypeScript. */
export interface CompiledRoom {
  readonly folder: string;
  readonly remove: () => void;
}

/** With all that it imports, so that the other rooms need not be in order. */
export async function compileRoom(): Promise<CompiledRoom> {
  const root = await compileSources(readdirSync(room).map((name) => join(room, name)));
  return { folder: join(root, room), remove: () => rmSync(root, { recursive: true, force: true }) };
}

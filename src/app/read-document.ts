import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { shellWord } from '../core/shell-word.ts';
import { clip, oneLine } from '../core/text.ts';
import { Interrupted, Refusal } from '../ports.ts';

/** Bytes: what a prompt can hold, and more than anybody reads. */
const LARGEST = 400 * 1024;

/** What a plan is drafted from. */
export interface PlanDocument {
  /** `, docs/spec.md`, or '' for a sentence. */
  readonly name: string;
  readonly text: string;
}

/**
 * DOC as it was typed: `-` is standard input, a path is that file, anything with a blank in it is the document itself. Throws
 * Refusal(2) for what is no text, too large, or not there, and Interrupted while standard input is waited for.
 */
export async function readDocument(
  asked: string,
  cwd: string,
  signal: AbortSignal,
): Promise<PlanDocument> {
  if (asked === '-') return textOf(await readInput(signal), 'standard input');
  const path = resolve(cwd, asked);
  const stat = asked.includes('\n') ? undefined : statOf(path);
  if (stat?.isFile() === true) {
    if (stat.size > LARGEST) throw tooLarge(asked);
    return textOf(readFileSync(path), asked);
  }
  if (stat !== undefined)
    throw new Refusal(
      2,
      `${oneLine(asked)} is no regular file`,
      'name a file, or - for standard input',
    );
  if (/\s/.test(asked.trim())) return { name: '', text: asked };
  throw new Refusal(
    2,
    `there is no file ${clip(oneLine(asked), 200)}`,
    `ls ${shellWord(clip(asked, 200))}     or say what to plan: skeleton plan 'A parser for …'`,
  );
}

/** Never at once: a Ctrl-C would not be heard meanwhile. */
async function readInput(signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, process.stdin)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > LARGEST) break;
    }
  } catch (error) {
    throw signal.aborted ? new Interrupted('reading the document was interrupted') : error;
  }
  return Buffer.concat(chunks);
}

function statOf(path: string): ReturnType<typeof statSync> | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A sentence that is longer than a name may be.
    return undefined;
  }
}

function textOf(bytes: Buffer, name: string): PlanDocument {
  if (bytes.length > LARGEST) throw tooLarge(name);
  if (bytes.includes(0)) throw noText(name);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.trim() !== '') return { name: `, ${oneLine(name)}`, text };
  } catch {
    throw noText(name);
  }
  throw new Refusal(2, `${oneLine(name)} is empty`, 'write down what is to be planned');
}

function tooLarge(name: string): Refusal {
  const what = `${oneLine(name)} is larger than ${LARGEST / 1024} KiB`;
  return new Refusal(2, what, 'name the part of it that is to be planned');
}

function noText(name: string): Refusal {
  return new Refusal(2, `${oneLine(name)} is no text in UTF-8`, 'make it text or Markdown first');
}

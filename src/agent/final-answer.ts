import { keepLast } from '../exec/output-record.ts';
import type { AgentEnd, AgentJob } from '../ports.ts';
import type { OpenReader } from './reading.ts';

/** Bytes of an answer that is kept where a client prints plain text: its end. */
const MOST_ANSWER = 256 * 1024;

/** What an agent said in the end. */
interface Answer {
  readonly take: (chunk: Uint8Array) => void;
  /** In the given reader's place; undefined where there is none. */
  readonly reader: OpenReader | undefined;
  /** The end of the step, with the text: the reader's last answer, or else the end of what was printed. */
  readonly withText: (end: AgentEnd) => AgentEnd;
}

/** Listens for a review's answer; of all other steps nothing is kept. */
export function openAnswer({ stage }: AgentJob, reader: OpenReader | undefined): Answer {
  if (stage?.review === undefined) return { take: () => undefined, reader, withText: (end) => end };
  return reader === undefined ? ofPrinted() : ofReader(reader);
}

function ofPrinted(): Answer {
  const printed = keepLast(MOST_ANSWER);
  return {
    take: (chunk) => {
      printed.take(Buffer.from(chunk));
    },
    reader: undefined,
    withText: (end) => ({ ...end, text: new TextDecoder().decode(printed.bytes()) }),
  };
}

function ofReader(reader: OpenReader): Answer {
  let text = '';
  const finish: OpenReader['finish'] = (end) => {
    const reading = reader.finish(end);
    text = reading.text ?? '';
    return reading;
  };
  return {
    take: () => undefined,
    reader: { ...reader, finish },
    withText: (end) => ({ ...end, text }),
  };
}

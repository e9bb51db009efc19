import { randomUUID } from 'node:crypto';
import { detectCiHost } from '../src/core/ci-host.ts';
import type { CiHost } from '../src/core/ci-host.ts';
import type { GateResult } from '../src/core/events.ts';
import { openMask } from '../src/core/mask.ts';
import { secretsIn } from '../src/core/secrets.ts';
import { excerpt, oneLine } from '../src/core/text.ts';
import { locate } from '../src/index.ts';
import { renderAnnotation } from '../src/report/ci/annotations.ts';
import type { Annotation } from '../src/report/ci/annotations.ts';
import { renderGroup } from '../src/report/ci/groups.ts';
import { renderOutputCommands, renderOutputFile } from '../src/report/ci/outputs.ts';
import type { Outputs } from '../src/report/ci/outputs.ts';
import { appendToFile } from './append-to-file.ts';
import { findingsOf, outputOf } from './ci-ground.ts';
import { print } from './io.ts';
import type { Io, Sink } from './io.ts';

/** What the page of a CI job shows of a command beside its lines (docs/ci.md). Everything goes to one stream, or order is lost. */
export interface Ci {
  readonly host: CiHost;
  /** A gate's output, folded. `about`: whose it is, where that is not clear. */
  readonly fold: (gate: GateResult, about?: string) => void;
  /** The lines that a gate's output names. `isolated`: the linked work tree in which the gate ran, if it did. */
  readonly findings: (gate: GateResult, isolated?: string) => readonly Annotation[];
  readonly annotate: (annotations: readonly Annotation[]) => void;
  readonly summarise: (markdown: string) => void;
  readonly give: (outputs: Outputs) => void;
}

/** More of a log than anybody reads on such a page; the job keeps the whole where it uploads it. */
const most = { lines: 1000, bytes: 100_000 };

/** Undefined on a person's own machine. `sink`: the stream on which the command shows its progress. */
export async function openCi(io: Io, cwd: string, sink: Sink): Promise<Ci | undefined> {
  const host = detectCiHost(io.env);
  if (host === 'none') return undefined;
  const place = await locate(cwd, io.env);
  let nth = 0;
  return {
    host,
    fold: (gate, about = '') => {
      if (gate.log === '') return;
      nth += 1;
      const ended = Date.now() / 1000;
      const output = outputOf(gate, place);
      const title = `${about === '' ? '' : `${about}  `}gate ${gate.name}`;
      const body = excerpt(output, output, most);
      sink.raw(renderGroup({ title, body, nth, began: ended - gate.seconds, ended }, host));
    },
    findings: (gate, isolated) =>
      findingsOf(gate, place, isolated).map((finding) => {
        const { title = '' } = finding;
        return { ...finding, title: title === '' ? gate.name : `${gate.name}: ${title}` };
      }),
    annotate: (annotations) => {
      for (const annotation of annotations) {
        const line = renderAnnotation(annotation, host);
        if (line !== '') sink.raw(`${line}\n`);
      }
    },
    summarise: (markdown) => {
      if (host === 'github') append('GITHUB_STEP_SUMMARY', `${markdown}\n`, io);
    },
    give: (outputs) => {
      if (host === 'github')
        append('GITHUB_OUTPUT', renderOutputFile(outputs, `end-${randomUUID()}`), io);
      if (host === 'azure') for (const line of renderOutputCommands(outputs)) sink.raw(`${line}\n`);
    },
  };
}

/** A page that stays empty is no reason to change the result: it is told. */
function append(name: string, text: string, io: Io): void {
  const path = io.env[name] ?? '';
  if (path === '') return;
  try {
    appendToFile(path, openMask(secretsIn(io.env)).text(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    print(io.err, `skeleton: ${name} could not be written: ${oneLine(why)}`);
  }
}

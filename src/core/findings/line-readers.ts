import { findingAt, groupsOf } from './finding.ts';
import type { Finding, Reader, Resolve, Spot } from './finding.ts';

/** Formats that say all in one line. No pattern here begins with a repetition that may begin anywhere: each is linear. */

/** `src/a.ts(1,2): error TS2322: …`: tsc without a terminal, MSBuild, MSVC. */
export function tscReader(resolve: Resolve): Reader {
  const place = /\((\d{1,7})(?:,(\d{1,7}))?\) ?: (error|warning)(?: ([A-Z]+\d+))?: /;
  return (line) => {
    const found = place.exec(line);
    if (found === null) return undefined;
    const [all, row, column, severity, title] = found;
    const message = line.slice(found.index + all.length);
    const spot = { path: line.slice(0, found.index), line: row, column };
    return findingAt(spot, resolve, { severity: severityOf(severity), title, message });
  };
}

/** `/a/b.js: line 3, col 7, Error - … (rule)`: eslint's compact. */
export function compactReader(resolve: Resolve): Reader {
  const place = /: line (\d{1,7}), col (\d{1,7}), (Error|Warning|Info) - /;
  return (line) => {
    const found = place.exec(line);
    if (found === null) return undefined;
    const [all, row, column, severity] = found;
    const { text, title } = splitEnd(line.slice(found.index + all.length), '(', ')');
    const spot = { path: line.slice(0, found.index), line: row, column };
    return findingAt(spot, resolve, { severity: severityOf(severity), title, message: text });
  };
}

/** How many places in one line may be tried. */
const MOST_PLACES = 4;

/**
 * `path:line:col: message`, `path:line: message` and `path:line:col - message`: gcc, clang, go, mypy, ruff, shellcheck, eslint's
 * unix, tsc on a terminal, grep, and nearly everybody else.
 */
export function plainReader(resolve: Resolve): Reader {
  return (line) => {
    const place = /:(\d{1,7})(?::(\d{1,7}))?(?::| -)(?=\s*\S)/g;
    for (let nth = 0; nth < MOST_PLACES; nth += 1) {
      const found = place.exec(line);
      if (found === null) return undefined;
      const [all, row, column] = found;
      const said = line.slice(found.index + all.length).trim();
      const before = line.slice(0, found.index);
      const path = [before, lastWord(before)].find((one) => resolve(one) !== undefined);
      if (path !== undefined && /\p{L}/u.test(said))
        return messageAt({ path, line: row, column }, resolve, said);
    }
    return undefined;
  };
}

function lastWord(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf(' ') + 1);
}

const notes: ReadonlySet<string> = new Set(['note', 'info', 'help', 'hint', 'remark']);
const severityWord =
  /^(?:fatal |internal compiler )?(error|warning|note|info|help|hint|remark)\b(?:\[([\w:-]+)\])?:? */i;
/** `TS2322: `, `F401 [*] `, `SC2086: ` before a message. */
const code = /^([A-Z]{1,8}\d{2,6})(?: \[\*\])?:? /;

function messageAt(spot: Spot, resolve: Resolve, said: string): readonly Finding[] {
  const [word, bracketed] = groupsOf(severityWord, said) ?? ['', ''];
  const rest = said.replace(severityWord, '');
  const [coded] = groupsOf(code, rest) ?? [''];
  const { text, title } = splitEnd(rest.replace(code, ''), '[', ']');
  // The end of eslint's unix format says it all: `[Error/no-undef]`.
  const [level, rule] = groupsOf(/^(Error|Warning)\/(.*)$/, title) ?? [word, title];
  const name = [bracketed, coded, rule].find((one) => one !== '') ?? '';
  // What gcc notes belongs to an error before; shellcheck calls its own smaller findings so.
  if (notes.has(level.toLowerCase()) && !name.startsWith('SC')) return [];
  return findingAt(spot, resolve, { severity: severityOf(level), title: name, message: text });
}

/** gcc, shellcheck and mypy name the rule at the end, in brackets. */
function splitEnd(
  text: string,
  open: string,
  close: string,
): { readonly text: string; readonly title: string } {
  const trimmed = text.trimEnd();
  const from = trimmed.lastIndexOf(` ${open}`);
  const title = trimmed.slice(from + 2, -1);
  if (!trimmed.endsWith(close) || from < 1 || !/^[\w@./=:+-]+$/.test(title))
    return { text: trimmed, title: '' };
  return { text: trimmed.slice(0, from), title };
}

/** No word at all is an error: the tool had something to say, and the gate rejected. */
function severityOf(word = ''): Finding['severity'] {
  return ['', 'error'].includes(word.toLowerCase()) ? 'error' : 'warning';
}

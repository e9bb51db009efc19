import { findingAt, groupsOf } from './finding.ts';
import type { Finding, Reader, Resolve } from './finding.ts';

/** Formats of linters and compilers whose file stands on another line than the message. */

/** A file's name on its own line, then `  3:7  error  …  rule`: eslint's stylish. */
export function stylishReader(resolve: Resolve): Reader {
  let file = '';
  return (line) => {
    const found = /^\s+(\d{1,7}):(\d{1,7})\s+(error|warning)\s+(?=\S)/.exec(line);
    if (found === null) {
      if (/^\S/.test(line)) file = line;
      return undefined;
    }
    const [all, row, column, severity] = found;
    const text = line.slice(all.length).trimEnd();
    const gap = text.lastIndexOf('  ');
    const rule = text.slice(gap + 2);
    const hasRule = gap > 0 && !rule.includes(' ');
    return findingAt({ path: file, line: row, column }, resolve, {
      severity: severity === 'error' ? 'error' : 'warning',
      title: hasRule ? rule : '',
      message: hasRule ? text.slice(0, gap) : text,
    });
  };
}

interface Head {
  readonly severity: Finding['severity'];
  readonly title: string;
  readonly message: string;
}

/** `error[E0308]: …`, then ` --> src/x.rs:1:2`: rustc, cargo, clippy; ruff's `F401 [*] …` in its full form. */
export function arrowReader(resolve: Resolve): Reader {
  let head: Head | undefined;
  return (line) => {
    head = headIn(line) ?? head;
    const found = groupsOf(/^ *--> (.+):(\d{1,7}):(\d{1,7})$/, line);
    if (found === undefined) return undefined;
    const said = head;
    head = undefined;
    if (said === undefined) return [];
    const [path, row, column] = found;
    return findingAt({ path, line: row, column }, resolve, said);
  };
}

function headIn(line: string): Head | undefined {
  const rust = groupsOf(/^(error|warning)(?:\[([\w:-]+)\])?: (.+)$/, line);
  if (rust !== undefined) {
    const [word, title, message] = rust;
    return { severity: word === 'error' ? 'error' : 'warning', title, message };
  }
  const ruff = groupsOf(/^([A-Z]{1,8}\d{2,6})(?: \[\*\])? (.+)$/, line);
  return ruff && { severity: 'error', title: ruff[0], message: ruff[1] };
}

/** `In x.sh line 3:`, then under the line `     ^--^ SC2086 (info): …`: shellcheck on a terminal. */
export function shellcheckReader(resolve: Resolve): Reader {
  let at: { readonly path: string | undefined; readonly line: string | undefined } | undefined;
  return (line) => {
    const place = /^In (.+) line (\d{1,7}):$/.exec(line);
    if (place !== null) {
      at = { path: place[1], line: place[2] };
      return [];
    }
    const found = /^( *)\^[-^]* (SC\d+)(?: \((error|warning|info|style)\))?: (.+)$/.exec(line);
    if (found === null || at === undefined) return undefined;
    const [, blanks = '', title, level = 'error', message = ''] = found;
    const severity = level === 'error' ? 'error' : 'warning';
    const spot = { ...at, column: String(blanks.length + 1) };
    return findingAt(spot, resolve, { severity, title, message });
  };
}

import { findingAt, groupsOf } from './finding.ts';
import type { Finding, Reader, Resolve } from './finding.ts';

/** Test runners, and programs that end in a stack: the message first, then the frames, of which the first of ours counts. */

/** vitest, jest, node: `AssertionError: …`, then ` ❯ test/x.test.ts:3:5` or `at f (/a/x.test.ts:3:5)`. */
export function stackReader(resolve: Resolve): Reader {
  let title = '';
  let message = '';
  let isNext = false;
  return (line) => {
    const frame = groupsOf(/^\s*(?:❯|at) (.+):(\d{1,7}):(\d{1,7})\)?$/, line);
    if (frame !== undefined) {
      const [place, row, column] = frame;
      const path = placesIn(place).find((one) => resolve(one) !== undefined);
      if (message === '' || path === undefined) return [];
      const said = { severity: 'error', title, message } as const;
      message = '';
      return findingAt({ path, line: row, column }, resolve, said);
    }
    const [test] = groupsOf(/^ *(?:FAIL|●) +(\S.*)$/, line) ?? [];
    if (test !== undefined) [title, message] = [test, ''];
    else if (isNext || thrown.test(line)) message = line;
    isNext = /^ *●/.test(line);
    return undefined;
  };
}

const thrown = /^\s*(?:Uncaught )?(?:[A-Z]\w{0,60})?(?:Error|Exception)\b/;

/** `f (/a/b.ts`, `async f (/a/b.ts`, `f src/b.ts`, `/a/b.ts`. */
function placesIn(text: string): readonly string[] {
  const bracket = text.indexOf(' (');
  return [
    text,
    ...(bracket < 0 ? [] : [text.slice(bracket + 2)]),
    text.slice(text.lastIndexOf(' ') + 1),
  ];
}

type Place = readonly [path: string, line: string];

/** pytest: `E   assert …`, then `test_x.py:4: AssertionError`; the other way round with short tracebacks. */
export function pytestReader(resolve: Resolve): Reader {
  let title = '';
  let message = '';
  /** The last place of ours that led to the one where it failed. */
  let outer: Place | undefined;
  /** The same with short tracebacks, where the message is still to come. */
  let entered: Place | undefined;
  const at = ([path, line]: Place): readonly Finding[] =>
    findingAt({ path, line }, resolve, { severity: 'error', title, message });
  const onError = (error: string): readonly Finding[] => {
    if (message !== '') return [];
    message = error;
    return entered === undefined ? [] : at(entered);
  };
  const onPlace = (place: Place, rest: string): readonly Finding[] | undefined => {
    const isOurs = resolve(place[0]) !== undefined;
    if (rest.startsWith('in ')) entered = isOurs ? place : entered;
    else if (rest === '') outer = isOurs ? place : outer;
    else if (message === '') return undefined;
    else {
      const found = at(isOurs ? place : (outer ?? place));
      [message, outer] = ['', undefined];
      return found;
    }
    return [];
  };
  return (line) => {
    if (line.startsWith('___')) {
      title = line.replace(/^_+ ?/, '').replace(/ ?_+$/, '');
      [message, outer, entered] = ['', undefined, undefined];
      return [];
    }
    const [error] = groupsOf(/^E +(\S.*)$/, line) ?? [];
    if (error !== undefined) return onError(error);
    const [path, row, rest] = groupsOf(/^(\S.*?\.py):(\d{1,7}): ?(.*)$/, line) ?? [];
    return path === undefined || row === undefined ? undefined : onPlace([path, row], rest ?? '');
  };
}

/** Python's own: `  File "a.py", line 3, in f`, the last of ours, then `ValueError: …`. */
export function tracebackReader(resolve: Resolve): Reader {
  let frame: Place | undefined;
  return (line) => {
    const [, path = '', row = ''] = /^ +File "([^"]+)", line (\d{1,7})/.exec(line) ?? [];
    if (path !== '') {
      if (resolve(path) !== undefined) frame = [path, row];
      return [];
    }
    if (frame === undefined || !/^[A-Za-z_][\w.]{0,200}(?::|$)/.test(line)) return undefined;
    const [file, at] = frame;
    frame = undefined;
    return findingAt({ path: file, line: at }, resolve, { severity: 'error', message: line });
  };
}

/** Rust's tests: `thread 't' panicked at src/lib.rs:7:9:`, the message on the next line; before Rust 1.73 it stood before the place. */
export function panicReader(resolve: Resolve): Reader {
  let at:
    | {
        readonly path: string | undefined;
        readonly line: string | undefined;
        readonly column: string | undefined;
      }
    | undefined;
  let title = '';
  return (line) => {
    if (at !== undefined) {
      const spot = at;
      at = undefined;
      return findingAt(spot, resolve, { severity: 'error', title, message: line });
    }
    const [, name = '', where = ''] =
      /^thread '([^']*)'(?: \(\d+\))? panicked at (.+)$/.exec(line) ?? [];
    const [, place = '', row, column] = /^(.+):(\d{1,7}):(\d{1,7}):?$/.exec(where) ?? [];
    if (place === '') return undefined;
    title = name;
    const comma = place.lastIndexOf(', ');
    if (comma < 0) {
      at = { path: place, line: row, column };
      return [];
    }
    const message = place.slice(0, comma).replace(/^'|'$/g, '');
    return findingAt({ path: place.slice(comma + 2), line: row, column }, resolve, {
      severity: 'error',
      title,
      message,
    });
  };
}

/** `FAILED a/test_x.py::test - …`: all that pytest says where tracebacks are off. */
export function summaryReader(resolve: Resolve): Reader {
  return (line) => {
    const [, path, test = ''] = /^(?:FAILED|ERROR) (\S+?\.py)(::\S+)?/.exec(line) ?? [];
    if (path === undefined) return undefined;
    const message = line.slice(line.indexOf(' ') + 1);
    return findingAt({ path, line: '1' }, resolve, {
      severity: 'error',
      title: path + test,
      message,
    });
  };
}

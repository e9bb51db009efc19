import { findingAt, groupsOf } from './finding.ts';
import type { Finding, Reader, Resolve } from './finding.ts';

interface Said {
  readonly file: string;
  readonly line: string;
  readonly title: string;
  readonly message: string;
}

/** More than one package's failures that anybody would read. */
const MOST_WAITING = 50;

/**
 * `go test`: `    a_test.go:7: …` names the file without its folder, which only the package at the end tells
 * (`FAIL	example.com/m/pkg	0.1s`); a panic's stack has whole paths.
 */
export function goReader(resolve: Resolve): Reader {
  let title = '';
  let panic = '';
  let waiting: readonly Said[] = [];
  return (line) => {
    const said = groupsOf(/^\s+([\w.-]+\.go):(\d{1,7}): (.*)$/, line);
    if (said !== undefined) {
      const [file, row, message] = said;
      if (waiting.length < MOST_WAITING)
        waiting = [...waiting, { file, line: row, title, message }];
      return [];
    }
    const [inPackage] = groupsOf(/^FAIL\t(\S+)/, line) ?? [];
    if (inPackage !== undefined) {
      const found = waiting.flatMap((one) => inFolder(one, inPackage, resolve));
      waiting = [];
      return found;
    }
    const frame = groupsOf(/^\t(\/.+\.go):(\d{1,7})(?: \+0x[\da-f]+)?$/, line);
    if (frame !== undefined) {
      const spot = { path: frame[0], line: frame[1] };
      const found = findingAt(spot, resolve, { severity: 'error', title, message: panic });
      if (found.length > 0) panic = '';
      return found;
    }
    title = testIn(line) ?? title;
    if (line.startsWith('panic: ')) panic = line.replace(/ \[recovered.*$/, '');
    return undefined;
  };
}

function testIn(line: string): string | undefined {
  return groupsOf(/^ *--- FAIL: (\S+)/, line)?.[0];
}

/** The folder is the end of the package's path: of `example.com/m/pkg`, the first that holds the file of `example.com/m/pkg`, `m/pkg`, `pkg`, and the top. */
function inFolder(
  { file, line, title, message }: Said,
  inPackage: string,
  resolve: Resolve,
): readonly Finding[] {
  const parts = inPackage.split('/').slice(0, 20);
  const paths = [...parts.keys(), parts.length].map((from) =>
    [...parts.slice(from), file].join('/'),
  );
  const path = paths.find((one) => resolve(one) !== undefined);
  return findingAt({ path, line }, resolve, { severity: 'error', title, message });
}

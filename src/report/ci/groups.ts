import type { CiHost } from '../../core/ci-host.ts';
import { oneLine, visible } from '../../core/text.ts';
import { harmless } from './harmless.ts';

export interface Group {
  readonly title: string;
  /** Text of strangers. */
  readonly body: string;
  /** The how manieth of this command: GitLab wants names that are not used twice. */
  readonly nth: number;
  /** Seconds since 1970, for GitLab. */
  readonly began: number;
  readonly ended: number;
}

/** What a program printed, under a title, folded where the service's log can: lines that end in a line feed. */
export function renderGroup(group: Group, host: CiHost): string {
  const [open, close] = frame(group, host);
  const body = visible(group.body).replace(/\n+$/, '');
  const lines = body === '' ? [] : harmless(body, host).split('\n');
  return [open, ...lines, close].map((line) => (line === '' ? '' : `${line}\n`)).join('');
}

function frame({ title, nth, began, ended }: Group, host: CiHost): readonly [string, string] {
  const name = harmless(oneLine(title), host);
  const section = `skeleton_${nth}`;
  switch (host) {
    case 'github':
      return [`::group::${name.replaceAll('%', '%25')}`, '::endgroup::'];
    case 'azure':
      return [`##[group]${name}`, '##[endgroup]'];
    case 'gitlab': {
      // https://docs.gitlab.com/ci/jobs/job_logs: the marks stand on lines of their own, cleared by the escape sequence.
      const clear = '\u001b[0K';
      const opened = `section_start:${Math.floor(began)}:${section}[collapsed=true]`;
      const closed = `section_end:${Math.floor(ended)}:${section}`;
      return [`${clear}${opened}\r${clear}${name}`, `${clear}${closed}\r${clear}`];
    }
    case 'generic':
    case 'none':
      return [name, ''];
  }
}

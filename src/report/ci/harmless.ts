import type { CiHost } from '../../core/ci-host.ts';

/**
 * Whatever a gate, an agent or a plan says must not command the service that reads the log: set a variable, fake an error, hide
 * what follows. GitHub takes `::` after any white space at the beginning of a line, and `##[` anywhere; Azure `##vso[` anywhere
 * (actions/runner ActionCommand.cs, azure-pipelines-agent Command.cs); both let a carriage return end a line. Each line is
 * broken by a blank, rather than all of them fenced by `::stop-commands::`: nothing has to be undone when we are killed, and our
 * own commands may stand between. GitLab needs escape sequences for its sections, which nobody else's text has here.
 */
export function harmless(text: string, host: CiHost): string {
  if (host !== 'github' && host !== 'azure') return text;
  const unmarked = text.replace(marks, '# #');
  return host === 'azure' ? unmarked : unmarked.replace(commands, '$1: :');
}

/** The same for JSON: it stays the same value. */
export function harmlessJson(json: string, host: CiHost): string {
  return host === 'github' || host === 'azure' ? json.replace(marks, String.raw`#\u0023`) : json;
}

const marks = /##(?=\[|vso\[)/gi;
/** Format characters too: a comparison that knows languages passes over them. */
const commands = /((?:^|[\r\n])(?:(?![\r\n])[\s\u0085\p{Cf}])*)::/gu;

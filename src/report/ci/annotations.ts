import type { CiHost } from '../../core/ci-host.ts';
import type { Finding } from '../../core/findings/finding.ts';
import { visible } from '../../core/text.ts';

/** A finding, or an error of no line. */
export type Annotation = Pick<Finding, 'severity' | 'message'> & Partial<Finding>;

/**
 * The line that makes a service show a message at its place in the source; '' where the service has none (GitLab and others
 * read reports: `skeleton report --format junit`).
 */
export function renderAnnotation(annotation: Annotation, host: CiHost): string {
  if (host === 'github') return forGithub(annotation);
  return host === 'azure' ? forAzure(annotation) : '';
}

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands; escapes as in actions/toolkit. */
function forGithub({ severity, path, line, column, title, message }: Annotation): string {
  const properties = given({ file: path, line, col: column, title });
  const escape = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const data = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const list = properties.map(([key, value]) => `${key}=${escape(value)}`).join(',');
  return `::${severity}${list === '' ? '' : ` ${list}`}::${data(visible(message))}`;
}

/** https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands. */
function forAzure({ severity, path, line, column, title = '', message }: Annotation): string {
  const properties = given({
    type: severity,
    sourcepath: path,
    linenumber: line,
    columnnumber: column,
  });
  const list = properties.map(([key, value]) => `${key}=${azureProperty(value)};`).join('');
  const said = visible(title === '' ? message : `${title}: ${message}`);
  return `##vso[task.logissue ${list}]${azureData(said)}`;
}

export function azureData(text: string): string {
  return text.replaceAll('%', '%AZP25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function azureProperty(text: string): string {
  return azureData(text).replaceAll(';', '%3B').replaceAll(']', '%5D');
}

function given(
  properties: Readonly<Record<string, string | number | undefined>>,
): readonly (readonly [string, string])[] {
  return Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, visible(String(value))] as const],
  );
}

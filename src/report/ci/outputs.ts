import { azureData } from './annotations.ts';

/** What later steps of a job may read of this one, by name. */
export type Outputs = Readonly<Record<string, string>>;

/**
 * Lines for the file that `GITHUB_OUTPUT` names. `delimiter` ends a value that has line breaks, so nobody may guess it. Names
 * are ours.
 */
export function renderOutputFile(outputs: Outputs, delimiter: string): string {
  return Object.entries(outputs)
    .map(([name, value]) =>
      /[\r\n]/.test(value)
        ? `${name}<<${delimiter}\n${value}\n${delimiter}\n`
        : `${name}=${value}\n`,
    )
    .join('');
}

/** The same as commands of Azure Pipelines. */
export function renderOutputCommands(outputs: Outputs): readonly string[] {
  return Object.entries(outputs).map(
    ([name, value]) => `##vso[task.setvariable variable=${name};isOutput=true]${azureData(value)}`,
  );
}

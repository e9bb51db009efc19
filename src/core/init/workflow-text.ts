import type { Setup } from './node-project.ts';

export interface WorkflowParts {
  readonly setups: readonly Setup[];
  /** That is checked out, in short; undefined where none is. */
  readonly branch: string | undefined;
}

/** The template's line below which a step installs what the gates need. */
const place = /^( *)# What your gates need comes here.*$/m;

/** The template, with steps that install what the gates need, for the branch that everything is merged into. */
export function workflowText(template: string, { setups, branch }: WorkflowParts): string {
  const needed = setups.filter(({ run }) => run !== 'true');
  const steps = needed.map(({ tool, run }) => [tool, run].filter(Boolean).join(' && '));
  const onMain = branch === 'master' ? template.replace('[main]', '[master]') : template;
  return onMain.replace(place, (line, indent: string) =>
    [line, ...steps.map((step) => `${indent}- run: ${step}`)].join('\n'),
  );
}

/** Of the workflow as it lies there, whoever wrote it. */
export function ownerNotice(path: string, text: string): readonly string[] {
  if (!text.includes('OWNER/')) return [];
  return [`${path} needs a name in place of OWNER: who publishes the action that you use`];
}

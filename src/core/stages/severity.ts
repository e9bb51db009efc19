/** How grave a finding of a review is: from what stops everything to what may be left. */
export const severities = ['critical', 'major', 'minor', 'note'] as const;
export type Severity = (typeof severities)[number];

export const mostRounds = 5;

/** Whether a finding is at least as grave as that. */
export function isAsGrave(severity: Severity, as: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(as);
}

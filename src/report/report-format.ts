/** What a run can be reported as. */
export const reportFormats = ['html', 'junit', 'markdown', 'json'] as const;
export type ReportFormat = (typeof reportFormats)[number];

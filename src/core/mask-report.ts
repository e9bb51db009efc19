import { maskFields } from './mask-texts.ts';
import type { Mask } from './mask.ts';
import type { AttemptDetail, AttemptDetails, RunReport } from './run-report.ts';

/** Before a format escapes anything: a secret with `&` in it would not be found afterwards. */

export function maskReport(report: RunReport, mask: Mask): RunReport {
  return maskFields(report, mask);
}

export function maskDetails(details: AttemptDetails, mask: Mask): AttemptDetails {
  return new Map([...details].map(([name, detail]) => [name, maskDetail(detail, mask)]));
}

/** A diff comes from git, where nothing is masked. */
export function maskDetail({ outputs, ...detail }: AttemptDetail, mask: Mask): AttemptDetail {
  const masked = [...outputs].map(([name, output]) => [name, mask.text(output)] as const);
  return { ...maskFields(detail, mask), outputs: new Map(masked) };
}

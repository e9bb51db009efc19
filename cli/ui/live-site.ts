import { maskDetail, maskReport } from '../../src/core/mask-report.ts';
import type { Mask } from '../../src/core/mask.ts';
import type { AttemptDetail } from '../../src/core/run-report.ts';
import { oneLine } from '../../src/core/text.ts';
import type { FollowedReport, History } from '../../src/index.ts';
import { markup, when, type Html } from '../../src/report/html/markup.ts';
import type { PageOptions } from '../../src/report/html/options.ts';
import { pagePolicy, renderMain, renderPage } from '../../src/report/html/page.ts';
import type { Answer, Site } from './server.ts';

export interface LiveSite {
  /** What there is to serve now: rendered when it is asked for. */
  readonly site: () => Site;
  /** Takes over what the run is now. */
  readonly update: (followed: FollowedReport) => void;
}

interface LiveOptions extends Pick<PageOptions, 'style' | 'script' | 'planOption'> {
  readonly mask: Mask;
  /** ISO 8601, UTC. */
  readonly now: () => string;
}

const live = { events: 'events', main: 'main' } as const;

/** The pages of a run that is followed, with no secret of our environment in them. */
export function openLiveSite(first: FollowedReport, options: LiveOptions): LiveSite {
  const { mask, now, ...assets } = options;
  let current = first;
  let count = 1;
  /** Somebody may look at a run that is known no more. */
  let isShown = false;
  const masked = maskOnce(mask);
  const policy = pagePolicy({ ...assets, live });
  const render = (page: typeof renderPage | typeof renderMain): Answer | undefined => {
    const { report, details, hasDied, history } = current;
    if (report === undefined) return undefined;
    isShown = true;
    const own = new Map([...details].map(([name, detail]) => [name, masked(detail)]));
    const { planPath } = history;
    const notice = noticeOf(history, mask);
    const facts = { ...assets, live, planPath, now: now(), hasDied, ...notice };
    return { html: page(maskReport(report, mask), own, facts), policy };
  };
  return {
    site: () => ({
      version: String(count),
      page: () => render(renderPage) ?? nothingYet(bodyWithout(current.history, mask)),
      main: () => render(renderMain) ?? (isShown ? gone(current.history, mask, policy) : undefined),
    }),
    update: (followed) => {
      current = followed;
      count += 1;
    },
  };
}

/** Looks again by itself, until there is a run. */
function nothingYet(body: Html): Answer {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>no run yet</title>
</head>
<body><main>${body}</main></body>
</html>
`;
  return { html: page.html, policy: "default-src 'none'; img-src data:" };
}

function bodyWithout(history: History, mask: Mask): Html {
  const { notice } = noticeOf(history, mask);
  return markup`<h1>No run of ${oneLine(history.planPath)} yet</h1>${when(notice, (text) => markup`<p>${text}</p>`)}<p><code>skeleton run</code> begins one, and it will be shown here.</p>`;
}

/** For a page that shows a run which neither ledger nor git knows any more. */
function gone(history: History, mask: Mask, policy: string): Answer {
  const why = noticeOf(history, mask).notice ?? 'the ledger is gone, and git knows no run';
  const body = markup`<main id="report" data-title="no run any more" data-over="false"><h1>No run of ${oneLine(history.planPath)} any more</h1><p id="notices">${why}</p></main>`;
  return { html: body.html, policy };
}

function noticeOf({ notice }: History, mask: Mask): { readonly notice?: string } {
  return notice === undefined ? {} : { notice: mask.text(oneLine(notice)) };
}

/** Texts of attempts are long, and most of them are the same at each change. */
function maskOnce(mask: Mask): (detail: AttemptDetail) => AttemptDetail {
  const known = new WeakMap<AttemptDetail, AttemptDetail>();
  return (detail) => {
    const masked = known.get(detail) ?? maskDetail(detail, mask);
    known.set(detail, masked);
    return masked;
  };
}

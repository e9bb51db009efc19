import type { AttemptDetails, RunReport } from '../../core/run-report.ts';
import { oneLine } from '../../core/text.ts';
import { headlineOf, renderHeadline } from './headline.ts';
import { asIs, markup, nothing, when, type Html } from './markup.ts';
import type { MainOptions, PageOptions } from './options.ts';
import { renderTasks } from './tasks.ts';
import { renderTimeline } from './timeline.ts';

/**
 * A run as one self-contained file of HTML: it asks the network for nothing, and needs its script for search and comfort
 * only. Texts of strangers stay text. Each of them is cut at 200,000 characters and all together at 12 million, head and tail
 * kept. A live page asks the server that it came from, and nobody else.
 */
export function renderPage(
  report: RunReport,
  details: AttemptDetails,
  options: PageOptions,
): string {
  const { style, script, live } = options;
  const addresses = when(
    live,
    ({ events, main }) => markup` data-events="${events}" data-main="${main}"`,
  );
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="skeleton">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(options)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${titleOf(report, options)}</title>
<style>${asIs(style.text)}</style>
</head>
<body${addresses}>
${renderTop(options)}
${mainOf(report, details, options)}
<script>${asIs(script.text)}</script>
</body>
</html>
`;
  return page.html;
}

/** The page's `main` element alone, for a page that is open to take over. */
export function renderMain(
  report: RunReport,
  details: AttemptDetails,
  options: MainOptions,
): string {
  return mainOf(report, details, options).html;
}

/**
 * The content security policy of a page: nothing from anywhere but what stands in the file, by its digest; a live page may ask
 * its own server.
 */
export function pagePolicy({
  style,
  script,
  live,
}: Pick<PageOptions, 'style' | 'script' | 'live'>): string {
  return [
    `default-src 'none'`,
    `style-src 'sha256-${style.sha256}'`,
    `script-src 'sha256-${script.sha256}'`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    ...(live === undefined ? [] : [`connect-src 'self'`]),
  ].join('; ');
}

function renderTop({ planPath, live }: PageOptions): Html {
  return markup`<header class="top">
<a class="skip" href="#tasks">Skip to the tasks</a>
<p class="where"><strong>${oneLine(planPath)}</strong></p>
${live === undefined ? nothing : markup`<p id="live" data-state="connecting">connecting</p>`}
<div class="search" role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" placeholder="task, verdict, output" autocomplete="off" spellcheck="false">
<output id="hits" for="search"></output>
</div>
</header>`;
}

function mainOf(report: RunReport, details: AttemptDetails, options: MainOptions): Html {
  const { hasDied = false, now } = options;
  const over =
    report.run.status === undefined && hasDied ? 'died' : report.run.status !== undefined;
  return markup`<main id="report" data-title="${titleOf(report, options)}" data-over="${String(over)}">
${renderHeadline(report, options)}
${report.tasks.length === 0 ? nothing : renderTimeline(report, { now, hasDied })}
${renderTasks(report, details, options)}
</main>`;
}

function titleOf(report: RunReport, { planPath, hasDied }: MainOptions): string {
  const { mark, words } = headlineOf(report, hasDied);
  return oneLine(`${mark} ${words} · ${planPath}`);
}

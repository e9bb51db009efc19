import { clock } from '../../src/compose.ts';
import { openMask } from '../../src/core/mask.ts';
import { secretsIn } from '../../src/core/secrets.ts';
import { oneLine } from '../../src/core/text.ts';
import { followReport, Refusal, type FollowedReport } from '../../src/index.ts';
import { print, type Io } from '../io.ts';
import { readPageAssets } from '../page-assets.ts';
import { refuseMistyped } from '../refuse-no-plan.ts';
import { tellNotice } from '../tell-notice.ts';
import { openLiveSite, type LiveSite } from '../ui/live-site.ts';
import { openSiteServer, type SiteServer } from '../ui/server.ts';

export interface UiCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  readonly planOption: string;
  /** Id of a run; undefined: the last, also one that begins meanwhile. */
  readonly run: string | undefined;
  /** 0: any that is free. */
  readonly port: number;
}

/**
 * `skeleton ui`: serves the page of a run at an address that it prints, until a signal ends it. Takes no lock, opens no browser. Throws
 * Refusal(2) where the plan has no run of that id, Refusal(3) where it cannot listen.
 */
export async function ui(command: UiCommand, io: Io): Promise<number> {
  const signal = io.windDown();
  const reports = followReport(optionsOf(command, io), signal, (error) => {
    const why = error instanceof Error ? error.message : String(error);
    tellNotice(`cannot read on: ${oneLine(why)}; trying again`, io);
  });
  const { value: first } = await reports.next();
  if (first === undefined) return statusOf(signal);
  refuseMistyped(command.plan, first.history, 'ui');
  const live = openLiveSite(first, {
    ...(await readPageAssets()),
    planOption: command.planOption,
    mask: openMask(secretsIn(io.env)),
    now: () => clock.now(),
  });
  const server = await listen(command.port, live);
  try {
    tellNotice(first.history.notice, io);
    print(io.out, server.address);
    print(io.err, 'for this machine only; Ctrl-C ends it');
    await Promise.race([keepUp({ reports, live, server, first, io }), aborted(signal)]);
  } finally {
    await server.close();
  }
  return statusOf(signal);
}

function optionsOf(
  { cwd, plan: planPath, run }: UiCommand,
  { env }: Io,
): Parameters<typeof followReport>[0] {
  return {
    cwd,
    env,
    ...(planPath !== undefined && { planPath }),
    ...(run !== undefined && { run }),
  };
}

interface Keeping {
  readonly reports: AsyncIterable<FollowedReport>;
  readonly live: LiveSite;
  readonly server: SiteServer;
  readonly first: FollowedReport;
  readonly io: Io;
}

async function keepUp({ reports, live, server, first, io }: Keeping): Promise<void> {
  let told = first.history.notice;
  for await (const report of reports) {
    const { notice } = report.history;
    if (notice !== told) tellNotice(notice, io);
    told = notice;
    live.update(report);
    server.changed();
  }
}

async function listen(port: number, live: LiveSite): Promise<SiteServer> {
  try {
    return await openSiteServer(port, live.site);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = reasons[code];
    if (why === undefined) throw error;
    throw new Refusal(
      3,
      `port ${port} of 127.0.0.1 ${why}`,
      'skeleton ui     takes any that is free',
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'may not be used by you',
  EPERM: 'may not be used by you',
};

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** The exit status of the signal that ended it. */
function statusOf({ reason }: AbortSignal): number {
  return typeof reason === 'number' ? reason : 0;
}

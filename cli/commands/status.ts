import { readFoldedHistory } from '../../src/index.ts';
import { summaryOf } from '../../src/core/summary.ts';
import { renderStatus, statusData } from '../../src/report/status.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';
import { noPlan } from '../refuse-no-plan.ts';
import { tellNotice } from '../tell-notice.ts';

/** What a command that only looks is told. */
export interface LookCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly plan: string | undefined;
  readonly json: boolean;
  /** Options that every command about this plan needs, with a blank before; '' for none. */
  readonly planOption: string;
}

/** `skeleton status`: where the plan stands and what to type next. Throws Refusal(2) where there is neither a plan nor a history. */
export async function status(command: LookCommand, io: Io): Promise<number> {
  const { cwd, plan: planPath, json, planOption } = command;
  const history = await readFoldedHistory({
    cwd,
    env: io.env,
    ...(planPath !== undefined && { planPath }),
  });
  tellNotice(history.notice, io);
  const summary = summaryOf(history.plan?.tasks, history.past);
  if (history.plan === undefined && summary.tasks.length === 0) throw noPlan(history, 'status');
  const problems = history.plan?.problems.length ?? 0;
  const { planPath: path, head } = history;
  const now = new Date().toISOString();
  const facts = { planPath: path, summary, problems, head, planOption, now };
  const { style } = chooseLook(io.env, io.out.isTerminal);
  print(io.out, json ? jsonLine(statusData(facts)) : renderStatus(facts, style));
  return 0;
}

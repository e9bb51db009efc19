import { doctor as examine } from '../../src/index.ts';
import { doctorData, renderDoctor } from '../../src/report/doctor.ts';
import { jsonLine } from '../../src/report/json.ts';
import { chooseLook } from '../../src/report/style.ts';
import { print } from '../io.ts';
import type { Io } from '../io.ts';

export interface DoctorCommand {
  /** Absolute. */
  readonly cwd: string;
  readonly json: boolean;
  /** `--remote` */
  readonly remote?: string | undefined;
}

/** `skeleton doctor`: what is installed and how the repository stands. 3 where something is in the way of a run. */
export async function doctor({ cwd, json, remote }: DoctorCommand, io: Io): Promise<number> {
  const sections = await examine({ cwd, env: io.env, ...(remote !== undefined && { remote }) });
  const { style } = chooseLook(io.env, io.out.isTerminal);
  if (json) for (const line of doctorData(sections)) print(io.out, jsonLine(line));
  else print(io.out, renderDoctor(sections, style));
  return sections.some(({ lines }) => lines.some(({ state }) => state === 'problem')) ? 3 : 0;
}

import { createHash } from 'node:crypto';
import type { Config } from '../core/config.ts';
import { permittedIn } from '../core/env-rules.ts';
import type { Gate, Gates } from '../ports.ts';
import { findGates, type Found } from './find-gates.ts';
import { openGateRunner, type RunnerOptions } from './run-gates.ts';

export interface GatesOptions extends RunnerOptions {
  /** Merged of all its sources. */
  readonly config: Config;
}

/** The gates of one work tree. `hash` and `run` take only gates that its own `find` gave: they vouch for the bytes of then. */
export function openGates(given: GatesOptions): Gates {
  const { config } = given;
  const options = { maxLogBytes: config.maxLog, ...given, env: permittedIn(given.env, config.env) };
  const known = new WeakMap<Gate, Found>();
  const foundOf = (gate: Gate): Found => {
    const found = known.get(gate);
    if (found === undefined) throw new Error(`the gate ${gate.name} was never found: find() first`);
    return found;
  };
  return {
    find: async (plan, task, only) => {
      const found = await findGates({ ...options, only }, plan, task);
      for (const each of found) known.set(each.gate, each);
      return found.map(({ gate }) => gate);
    },
    hash: async (gates) => hashOf(gates.map(foundOf)),
    run: openGateRunner(options, foundOf),
  };
}

function hashOf(found: readonly Found[]): string {
  const says = found.map(({ gate, marks, shipped }) => {
    const { name, command, timeout, only, soft, fix, retries } = gate;
    return [name, command, timeout, only, soft, fix, retries, [...marks], shipped?.mark ?? null];
  });
  return `sha256:${createHash('sha256').update(JSON.stringify(says)).digest('hex')}`;
}

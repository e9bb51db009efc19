import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/core/config/config.ts';
import { mergeConfig, withCeilings } from '../../../src/core/config/merge-config.ts';

describe('layers', () => {
  it('the later one wins, key by key', () => {
    const merged = mergeConfig({ attempts: 1, protect: ['a'] }, {}, { protect: ['b'], limit: 2 });
    expect(merged).toEqual({ attempts: 1, protect: ['b'], limit: 2 });
  });

  it('an agent by name and one by command are one choice', () => {
    expect(mergeConfig({ agent: 'claude' }, { agentCommand: 'x' })).toEqual({ agentCommand: 'x' });
    expect(mergeConfig({ agentCommand: 'x' }, { agent: 'codex' }, { limit: 1 })).toEqual({
      agent: 'codex',
      limit: 1,
    });
  });

  it('a model and models by attempt are one choice', () => {
    expect(mergeConfig({ models: ['a', 'b'] }, { model: 'z' })).toEqual({ model: 'z' });
    expect(mergeConfig({ model: 'a' }, { models: ['b'] }, { limit: 1 })).toEqual({
      models: ['b'],
      limit: 1,
    });
  });

  it('limits of the user’s file are ceilings', () => {
    const user: Config = { attempts: 2, timeout: 1000, maxFile: 10, keepGoing: false };
    expect(withCeilings({ attempts: 5, timeout: 500, maxFile: 20, keepGoing: true }, user)).toEqual(
      {
        attempts: 2,
        timeout: 500,
        maxFile: 10,
        keepGoing: true,
      },
    );
    expect(withCeilings({ gate: ['a'] }, user)).toEqual({ gate: ['a'] });
    const strict = { permissions: 'configured' } as const;
    expect(withCeilings({ permissions: 'bypass' }, strict)).toEqual(strict);
    expect(withCeilings(strict, { permissions: 'bypass' })).toEqual(strict);
  });
});

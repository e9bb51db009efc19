import { describe, expect, it } from 'vitest';
import { plainStart } from '../../../../src/agent/plain-start.ts';
import { findPreset, presets } from '../../../../src/agent/presets/presets.ts';
import { signInState, type SignInFacts } from '../../../../src/agent/sign-in-state.ts';
import { clients } from '../../../agents/clients.ts';

const call = { promptFile: '/x y/prompt.md', permissions: 'bypass' } as const;

describe('presets', () => {
  it('are all that are promised, each once', () => {
    const names = presets.map(({ name }) => name);
    expect(new Set(names).size).toBe(12);
    expect([...names].sort()).toEqual([
      'aider',
      'amp',
      'claude',
      'cline',
      'codex',
      'copilot',
      'cursor-agent',
      'droid',
      'gemini',
      'kiro',
      'opencode',
      'qwen',
    ]);
  });

  it('are found by name and by program', () => {
    expect(findPreset('kiro')?.name).toBe('kiro');
    expect(findPreset('kiro-cli')?.name).toBe('kiro');
    expect(findPreset('nobody')).toBeUndefined();
  });

  it('that were run are those of the tests of real clients, in the same version', () => {
    const run = presets.flatMap(({ name, checked }) =>
      checked.how === 'run offline' ? [`${name} ${checked.version}`] : [],
    );
    const tried = clients.map(
      ({ name, pack }) => `${name} ${pack.slice(pack.lastIndexOf('@') + 1)}`,
    );
    expect(run.sort()).toEqual(tried.sort());
  });
});

describe.each(presets)('the command of $name', (preset) => {
  it('takes the prompt from standard input or its file, never from an argument', () => {
    const { args, stdin } = preset.command(call);
    const names = args.some((arg) => arg.includes(call.promptFile));
    expect(names).toBe(stdin === 'nothing');
    expect(args.every((arg) => arg.length < 1000)).toBe(true);
  });

  it('carries its permission flags, or none of them', () => {
    const { flags, meaning } = preset.permissions;
    expect(flags.length).toBeGreaterThan(0);
    expect(meaning).toMatch(/^It .*\.$/);
    const has = (permissions: 'bypass' | 'configured'): boolean[] =>
      flags.map((flag) => preset.command({ ...call, permissions }).args.includes(flag));
    expect(has('bypass')).toEqual(flags.map(() => true));
    expect(has('configured')).toEqual(flags.map(() => false));
  });

  it('names the model, and the session where it can go on with one', () => {
    const { args } = preset.command({ ...call, model: 'large', session: 'abc-1' });
    expect(args).toContain('large');
    if (preset.reports.session) expect(args.join(' ')).toContain('abc-1');
    const without = preset.command(call).args;
    expect(without.some((arg) => /undefined|^$/.test(arg))).toBe(false);
  });

  it('says how to sign in and what one has to know, in lines', () => {
    expect(preset.signIn.how).toMatch(/^[^\n]{5,120}$/);
    expect(preset.notes.every((note) => /^[^\n]{10,200}$/.test(note))).toBe(true);
    expect(preset.version).toEqual(['--version']);
  });
});

describe('the environment', () => {
  it('tells Claude of a sandbox only where it runs as root', () => {
    const claude = findPreset('claude');
    expect(claude?.env({ root: true })).toHaveProperty('IS_SANDBOX', '1');
    expect(claude?.env({ root: false })).not.toHaveProperty('IS_SANDBOX');
  });
});

describe('signInState', () => {
  const facts: SignInFacts = { env: {}, read: () => undefined, askExit: undefined };
  const state = (name: string, more: Partial<SignInFacts>): string | undefined => {
    const preset = findPreset(name);
    return preset && signInState(preset.signIn, { ...facts, ...more });
  };

  it('asks the client that can answer', () => {
    expect(state('claude', { askExit: 0 })).toBe('yes');
    expect(state('claude', { askExit: 1 })).toBe('no');
    expect(state('claude', {})).toBe('unknown');
  });

  it('knows a key, unless it is empty', () => {
    expect(state('gemini', { env: { GEMINI_API_KEY: 'k' } })).toBe('yes');
    expect(state('gemini', { env: { GEMINI_API_KEY: '' } })).toBe('no');
  });

  it('knows a file of credentials', () => {
    const read = (file: string): string | undefined =>
      file === '.gemini/oauth_creds.json' ? '{}' : undefined;
    expect(state('gemini', { read })).toBe('yes');
  });

  it('knows that it does not know of another provider', () => {
    const read = (file: string): string | undefined =>
      file === '.codex/config.toml' ? 'model_provider = "mine"\n' : undefined;
    expect(state('codex', { askExit: 1, read })).toBe('unknown');
    expect(state('codex', { askExit: 1 })).toBe('no');
    expect(state('claude', { askExit: 1, env: { CLAUDE_CODE_USE_BEDROCK: '1' } })).toBe('unknown');
    expect(state('claude', { askExit: 1, env: { ANTHROPIC_BASE_URL: 'x' } })).toBe('no');
  });
});

describe('plainStart', () => {
  it('keeps a prompt from being a command of the client', () => {
    expect(plainStart('/compact the table')).toBe('The task:\n\n/compact the table');
    expect(plainStart('\n /x')).toMatch(/^The task:/);
    expect(plainStart('Add a/b')).toBe('Add a/b');
  });
});

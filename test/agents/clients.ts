/** The real clients that can be run offline: which package, and how they are pointed at a scripted model in a home of their own. */

export interface Place {
  /** Of the scripted model. */
  readonly url: string;
  readonly home: string;
  readonly signedIn: boolean;
  /** As somebody with a subscription, where that is another thing than a key. */
  readonly subscription: boolean;
}

export interface Ground {
  readonly env: Readonly<Record<string, string>>;
  /** Texts by their path under the home folder. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Client {
  /** Of the preset. */
  readonly name: string;
  readonly pack: string;
  /** Where the client would otherwise ask a model which one to take. */
  readonly model?: string;
  readonly ground: (place: Place) => Ground;
}

const json = (value: unknown): string => JSON.stringify(value);
const quiet = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false },
};

const codexConfig = (url: string): string => `
check_for_update_on_startup = false
model_provider = "fake"
model = "gpt-5.5"
[features]
plugins = false
apps = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
env_key = "FAKE_API_KEY"
wire_api = "responses"
`;

const fakeProvider = (url: string): unknown => ({
  npm: '@ai-sdk/openai-compatible',
  name: 'Fake',
  options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
  models: {
    'fake-model': {
      name: 'Fake',
      cost: { input: 1, output: 2 },
      limit: { context: 200_000, output: 8000 },
    },
  },
});

const clineProviders = (url: string): unknown => ({
  version: 1,
  lastUsedProvider: 'openai-compatible',
  modes: {},
  providers: {
    'openai-compatible': {
      settings: {
        provider: 'openai-compatible',
        apiKey: 'dummy',
        model: 'fake-model',
        baseUrl: `${url}/v1`,
      },
      updatedAt: '2026-01-01T00:00:00.000Z',
      tokenSource: 'manual',
    },
  },
});

export const clients: readonly Client[] = [
  {
    name: 'claude',
    pack: '@anthropic-ai/claude-code@2.1.197',
    ground: ({ url, signedIn, subscription }) => ({
      env: {
        ANTHROPIC_BASE_URL: url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ...(signedIn && {
          [subscription ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY']: 'dummy',
        }),
      },
      files: {},
    }),
  },
  {
    name: 'codex',
    pack: '@openai/codex@0.171.0',
    ground: ({ url, signedIn }) => ({
      env: signedIn ? { FAKE_API_KEY: 'dummy' } : {},
      files: { '.codex/config.toml': codexConfig(url) },
    }),
  },
  {
    name: 'gemini',
    pack: '@google/gemini-cli@0.61.0',
    model: 'gemini-2.5-pro',
    ground: ({ url, signedIn }) => ({
      env: { GOOGLE_GEMINI_BASE_URL: url, ...(signedIn && { GEMINI_API_KEY: 'dummy' }) },
      files: {
        '.gemini/settings.json': json({
          ...quiet,
          ...(signedIn && { security: { auth: { selectedType: 'gemini-api-key' } } }),
        }),
      },
    }),
  },
  {
    name: 'opencode',
    pack: 'opencode-ai@1.18.33',
    ground: ({ url }) => ({
      env: {
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_CONFIG_CONTENT: json({
          autoupdate: false,
          share: 'disabled',
          enabled_providers: ['fake'],
          model: 'fake/fake-model',
          small_model: 'fake/fake-model',
          provider: { fake: fakeProvider(url) },
        }),
      },
      files: {},
    }),
  },
  {
    name: 'qwen',
    pack: '@qwen-code/qwen-code@0.15.10',
    ground: ({ url, signedIn }) => ({
      env: signedIn
        ? { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-model' }
        : {},
      files: {
        '.qwen/settings.json': json({
          ...quiet,
          ...(signedIn && { security: { auth: { selectedType: 'openai' } } }),
        }),
      },
    }),
  },
  {
    name: 'copilot',
    pack: '@github/copilot@1.0.102',
    ground: ({ url, signedIn }) => ({
      env: signedIn
        ? {
            COPILOT_OFFLINE: 'true',
            COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
            COPILOT_PROVIDER_API_KEY: 'dummy',
            COPILOT_MODEL: 'gpt-5.4',
          }
        : {},
      files: {},
    }),
  },
  {
    name: 'cline',
    pack: 'cline@3.0.65',
    ground: ({ url, signedIn }) => ({
      env: {},
      files: {
        '.cline/data/settings/global-settings.json': json({
          telemetryOptOut: true,
          autoUpdateEnabled: false,
        }),
        ...(signedIn && { '.cline/data/settings/providers.json': json(clineProviders(url)) }),
      },
    }),
  },
];

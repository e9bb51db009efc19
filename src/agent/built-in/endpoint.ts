/** What the built-in agent's process is told as its one argument. Keys of an endpoint come by the environment, never here. */
export interface BuiltInSettings {
  /** Base address of the endpoint: `http://127.0.0.1:11434/v1`. */
  readonly api: string;
  readonly protocol: Protocol;
  readonly model: string;
  /** Variable that holds the key; a local server needs none. */
  readonly keyVariable?: string | undefined;
  /** Most answers of the model in one attempt. */
  readonly turns: number;
  /** Most tokens of one attempt, read and written. */
  readonly tokens: number;
}

export type Protocol = 'openai' | 'anthropic';

export const defaultTurns = 100;
export const defaultTokens = 4_000_000;

/** An endpoint speaks what its address says, unless told otherwise: Anthropic's own, or one that ends so, the Messages API. */
export function protocolOf(api: string): Protocol {
  const { hostname, pathname } = new URL(api);
  const isAnthropic = hostname.endsWith('anthropic.com') || /\/anthropic(\/v1)?\/?$/.test(pathname);
  return isAnthropic ? 'anthropic' : 'openai';
}

/** Where the key of an endpoint is looked for when nobody says it. */
export function keyVariableOf(protocol: Protocol): string {
  return protocol === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
}

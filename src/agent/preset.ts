import type { Reader } from './reading.ts';

/** A coding agent that we know how to call and to read. Pure data: nothing here starts or looks up anything. */
export interface Preset {
  /** As `agent:` and `--agent` name it. */
  readonly name: string;
  /** Names to look for on PATH, the best first. */
  readonly programs: readonly string[];
  readonly checked: Checked;
  readonly command: (call: PresetCall) => PresetCommand;
  /** Variables that a run adds where the user has not set them. */
  readonly env: (place: { readonly root: boolean }) => Readonly<Record<string, string>>;
  readonly permissions: Permissions;
  /** Arguments that make it print its version, offline. */
  readonly version: readonly string[];
  readonly signIn: SignIn;
  readonly reader: Reader;
  /** What it reports, for budgets: a USD budget needs `usd`. */
  readonly reports: { readonly tokens: boolean; readonly usd: boolean; readonly session: boolean };
  /** What one has to know, a sentence each; for the documentation and `doctor`. */
  readonly notes: readonly string[];
}

/** How the preset was made sure of: real runs of that version against a scripted model, or only what its maker writes. */
export type Checked =
  | { readonly how: 'run offline'; readonly version: string }
  | { readonly how: 'documentation'; readonly source: string };

export interface PresetCall {
  /** As the client names it; without it, the client's own default. */
  readonly model?: string | undefined;
  /** A session of an earlier step to go on with, from `Reading.session`; a client that cannot ignores it. */
  readonly session?: string | undefined;
  /** Absolute path of a file that holds the prompt. */
  readonly promptFile: string;
  /** `bypass`: with the preset's permission flags; `configured`: what the client's own configuration allows. */
  readonly permissions: 'bypass' | 'configured';
}

export interface PresetCommand {
  readonly args: readonly string[];
  /** What goes to standard input: the whole prompt, or nothing (/dev/null) where the client takes it from `promptFile`. */
  readonly stdin: 'prompt' | 'nothing';
}

export interface Permissions {
  readonly flags: readonly string[];
  /** What the flags let the agent do, in one sentence. */
  readonly meaning: string;
  /** Without them it may only read, unless its own configuration says more: right for a review. */
  readonly readsWithout?: true;
}

/** How to find out, offline, whether the client is signed in; see `signInState`. */
export interface SignIn {
  /** Any of them set and not empty: signed in. */
  readonly variables: readonly string[];
  /** Any of them there, relative to the home folder: signed in. */
  readonly files: readonly string[];
  /** Arguments that exit with 0 only when signed in, without the network. */
  readonly ask?: readonly string[];
  /** Where another provider is set up, for which the client's own sign-in says nothing. */
  readonly elsewhere?: {
    readonly variables: readonly string[];
    readonly settings: readonly { readonly file: string; readonly matches: RegExp }[];
  };
  /** What it means that nothing of the above was found. */
  readonly otherwise: 'no' | 'unknown';
  /** How to sign in, in one line. */
  readonly how: string;
}

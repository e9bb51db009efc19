import type { Secret } from '../core/mask.ts';

export interface NotifierPlaces {
  /** Absolute: where commands run. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: readonly Secret[];
}

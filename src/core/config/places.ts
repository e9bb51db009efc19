import type { Place } from './key.ts';

/** Where most keys may stand. */
export const everywhere: readonly Place[] = ['plan', 'project', 'user'];
export const withTask: readonly Place[] = [...everywhere, 'task'];

/** What a drill is made of; how it goes is a use case (`src/app/drill.ts`). */
export { keepProtection } from './keep-protection.ts';
export { kinds, randomKinds } from './kinds.ts';
export type { ScriptedKind } from './kinds.ts';
export { tryOwnGates } from './own-gates.ts';
export { closeStage, furnishStage, openStage, removeTrial, sweepStages } from './stage.ts';
export type { Stage } from './stage.ts';
export { tryKind } from './trial.ts';

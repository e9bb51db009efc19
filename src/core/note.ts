/** What a person writes to a run from outside (docs/steering.md): it lies in the ledger's inbox until a run is done with it. */
export interface Note {
  /** Never given twice, whatever became of the ledger in between. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `pause` lies there as long as the plan is paused. */
  readonly kind: 'pause' | 'tell' | 'skip';
  /** Id; '' for `pause`. */
  readonly task: string;
  /** What is told; '' for the others. */
  readonly text: string;
  /** `user@host`. */
  readonly by: string;
}

/** Of UTF-8, in one note. */
export const longestNote = 4000;

/** Bytes of all notes in one prompt; more would push the task itself out of an agent's mind. The newest count. */
export const mostNotes = 8192;

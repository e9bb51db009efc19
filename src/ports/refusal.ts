/** A condition of the machine or repository that a person has to mend: exit status 3 (before anything was touched) or 4 (later). */
export class Refusal extends Error {
  readonly status: 2 | 3 | 4;
  /** The one command, or few lines, that mend it. */
  readonly mend: string;
  constructor(status: 2 | 3 | 4, message: string, mend = '') {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.mend = mend;
  }
}

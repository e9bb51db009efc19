/**
 * A stop came while git was at work, and ended it: no fault of anybody's. What was recorded stands, and the next run goes on
 * from there.
 */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** Something was done before, of this command or of what a dead one left; else nothing was touched. */
  readonly isBegun: boolean;
  constructor(message: string, isBegun = false) {
    super(message);
    this.isBegun = isBegun;
  }
}

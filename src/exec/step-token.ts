/** The variable that marks every process of a step, whatever session or group it moves to. */
export const stepVariable = 'SKELETON_STEP';

const separator = ',';
const wellFormed = /^[A-Za-z0-9._:/#@+-]{1,200}$/;

/**
 * Throws a TypeError unless the token is 1 to 200 characters of `A-Z a-z 0-9 . _ : / # @ + -`: it is compared in
 * environments, in the output of ps and in a shell script, so it needs no quoting anywhere.
 */
export function assertToken(token: string): void {
  if (wellFormed.test(token)) return;
  throw new TypeError(
    `A step's token is 1 to 200 of A-Z a-z 0-9 . _ : / # @ + -, not ${JSON.stringify(token)}.`,
  );
}

/**
 * The value of SKELETON_STEP for a new step. `outer` is the value in our own environment: a skeleton that was started by
 * another one's agent adds its token to the outer one, so that the outer run can end the inner steps too.
 */
export function chainToken(outer: string | undefined, token: string): string {
  return outer === undefined || outer === '' ? token : `${outer}${separator}${token}`;
}

/** Every token that a value of SKELETON_STEP holds, outermost first. */
export function tokensOf(value: string): readonly string[] {
  return value.split(separator);
}

const sane = /^[A-Za-z0-9][\w.:-]{0,199}$/;

/** The name of a conversation, which becomes an argument of the next step; undefined where it could be taken for anything else. */
export function sessionName(told: string | undefined): string | undefined {
  return told !== undefined && sane.test(told) ? told : undefined;
}

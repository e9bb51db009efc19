/** Headings whose boxes, in a plan of boxes, are no tasks: what tells that work is done, or is not meant to be done now. */

/** Alone, or with words that leave its sense: `Release checklist`, `Verification steps`; a `Phase 4: Verification` is work. */
const before = String.raw`(?:(?:final|manual|overall|post-?deploy|pre-?release|project|release|review|pr|the|our) )?`;
const criteria = new RegExp(
  `^${before}(?:${[
    String.raw`success criteria\b.*`,
    String.raw`exit criteria\b.*`,
    String.raw`acceptance(?: (?:criteria|tests?|checks?|checklist|conditions)\b.*)?`,
    String.raw`verification(?: (?:steps?|criteria|checks?|checklist|plan)\b.*)?`,
    String.raw`definition of (?:done|ready)\b.*`,
    String.raw`checklist(?: (?:for|before|after)\b.*)?`,
    String.raw`legend`,
    String.raw`optional(?: (?:tasks?|items?|steps?|extras?|features?|improvements?|work|follow-?ups?|enhancements?)\b.*)?`,
    String.raw`future(?: (?:work|tasks?|ideas?|improvements?|enhancements?|plans?|steps?|phases?|features?|considerations?|scope|directions?|extensions?|iterations?|releases?|versions?)\b.*)?`,
    String.raw`(?:explicitly )?out[- ]of[- ]scope\b.*`,
    String.raw`nice[- ]to[- ]haves?\b.*`,
    String.raw`non-?goals?`,
  ].join('|')})$`,
);

export function isCriteriaHeading(text: string): boolean {
  const words = text
    .slice(0, 200)
    .toLowerCase()
    // A number before it, what is in parentheses, marks and symbols around it.
    .replace(/\([^()]*\)/g, ' ')
    .replace(/^[\s\p{P}\p{S}]*(?:(?:section )?\d+(?:\.\d+)*[.):]? )?[\s\p{P}\p{S}\p{M}]*/u, '')
    .replace(/[^\p{L}\p{N}-]+/gu, ' ')
    .trim();
  return criteria.test(words);
}

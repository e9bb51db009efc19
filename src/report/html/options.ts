/** What a page is about, beyond the run itself. */
export interface MainOptions {
  /** Path of the plan, as people know it. */
  readonly planPath: string;
  /** Options that a command about this plan needs, such as ` --plan docs/B.md`; '' for none. */
  readonly planOption: string;
  /** ISO 8601, UTC: what goes on has lasted until then; absent: until its last event. */
  readonly now?: string;
  /** Its process is gone, and no end of it was recorded. */
  readonly hasDied?: boolean;
  /** What there is to know about where this comes from: a ledger that is damaged or gone. */
  readonly notice?: string;
}

export interface PageOptions extends MainOptions {
  readonly style: Asset;
  readonly script: Asset;
  /** Of a page that follows its run. */
  readonly live?: LiveAddresses;
}

/** A file of templates/report/, whole. */
export interface Asset {
  readonly text: string;
  /** Its SHA-256 as base64, which the page's content security policy names. */
  readonly sha256: string;
}

/** Relative to the page's own address. */
export interface LiveAddresses {
  /** Server-sent events: `changed` whenever the run has anything new, and at once. */
  readonly events: string;
  /** What renderMain gives, anew. */
  readonly main: string;
}

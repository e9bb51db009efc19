/** What a commit object's text says. */
export interface CommitText {
  readonly tree: string;
  readonly parents: readonly string[];
  /** ISO 8601, UTC: the committer's. */
  readonly at: string;
  /** Of the message's last paragraph, by name. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Reads a commit object (git-cat-file(1)). */
export function parseCommit(text: string): CommitText {
  const end = text.indexOf('\n\n');
  const head = text.slice(0, end);
  const last = text.slice(end).trimEnd().split('\n\n').at(-1) ?? '';
  const trailers = [...last.matchAll(/^([A-Za-z][\w-]*): (.*)$/gm)];
  const seconds = Number(/^committer .* (\d+) [+-]\d{4}$/m.exec(head)?.[1] ?? 0);
  return {
    tree: /^tree (\w+)/m.exec(head)?.[1] ?? '',
    parents: [...head.matchAll(/^parent (\w+)$/gm)].map(([, parent = '']) => parent),
    at: new Date(seconds * 1000).toISOString(),
    trailers: new Map(trailers.map(([, name = '', value = '']) => [name, value])),
  };
}

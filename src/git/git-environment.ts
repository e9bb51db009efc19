/** What git may see of the environment (architecture.md, "Order of writes"): a GIT_DIR of the hook that started us is not ours to use. */
const wanted = /^GIT_(?:(?:AUTHOR|COMMITTER)_.+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|SSH.*)$/;
const unwanted = /^(?:GIT_.*|EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS|LANGUAGE)$/i;

/** The environment of every git of ours. */
export function gitEnvironment(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (wanted.test(entry[0]) || !unwanted.test(entry[0])),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // An agent's `git replace` must not change what we read.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

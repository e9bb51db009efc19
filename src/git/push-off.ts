import type { Dirent } from 'node:fs';
import { resolve } from 'node:path';
import { toByteName, toText } from './byte-name.ts';
import type { ByteName } from './byte-name.ts';
import type { Repository } from './located-repository.ts';
import { entriesOf, statOf } from './raw-files.ts';

/** What an agent reads when it pushes: no such path can be made, and git asks neither network nor ssh about it. */
const nowhere =
  '/dev/null/skeleton-push-is-off: agents do not push, people do (push: true lets them): ';

/**
 * Text of a git configuration in the place of the system's: it includes that one, and sends every push nowhere, so that an agent
 * that does not mean to publish does not (git-config(1): url.*.pushInsteadOf, url.*.insteadOf). Of two rules that match, git takes
 * the longer one, and of equally long ones the first: so each rule of the user's own is here too, before all others. A remote
 * with push addresses of its own gets one more before them, at which git gives up (git-config(1): remote.*.pushurl): as a rule,
 * one that is the beginning of a fetch address would turn off that one too.
 */
export async function pushOffConfig(repository: Repository): Promise<string> {
  const entries = [...(await listConfig(repository)), ...(await listModules(repository))];
  const valuesOf = (pattern: RegExp): readonly string[] =>
    entries.filter(([key]) => pattern.test(key)).map(([, value]) => value);
  const fetched = valuesOf(/^remote\..*\.url$/s);
  const pushed = valuesOf(/^remote\..*\.pushurl$/s).filter(
    (url) => url !== '' && !fetched.some((other) => other.startsWith(url)),
  );
  const rules = ['', ...fetched, ...valuesOf(/^url\..*\.pushinsteadof$/s)];
  const own = entries.flatMap(([key]) => /^remote\.(.*)\.pushurl$/s.exec(key)?.[1] ?? []);
  const system = await systemConfig(repository);
  return [
    `[url "${nowhere}"]`,
    ...[...new Set(rules)].map((url) => `\tpushInsteadOf = ${quoted(url)}`),
    ...[...new Set(pushed)].map((url) => `\tinsteadOf = ${quoted(url)}`),
    ...[...new Set(own)].flatMap((name) => [
      `[remote ${quoted(name)}]`,
      `\tpushurl = ${quoted(nowhere)}`,
    ]),
    ...(system === undefined ? [] : ['[include]', `\tpath = ${quoted(system)}`]),
    '',
  ].join('\n');
}

async function listConfig({ git }: Repository): Promise<Entries> {
  return entriesIn(await git.run(['config', '--list', '-z']));
}

type Entries = readonly (readonly [string, string])[];

/** Of all submodules that were ever set up here. */
async function listModules({ git, commonDir }: Repository): Promise<Entries> {
  const all: Entries[] = [];
  for (const path of configsBelow(toByteName(`${toText(commonDir)}/modules`))) {
    const args = ['config', '--file', toText(path), '--list', '-z'];
    all.push(entriesIn((await git.ask(args, { answers: [1, 128] })).stdout));
  }
  return all.flat();
}

/** Names of submodules may be paths, and submodules may have some of their own. */
function configsBelow(folder: ByteName): readonly ByteName[] {
  const config = `${folder}/config`;
  const isOne = statOf(config)?.isFile() === true;
  const below = isOne ? ['modules'] : (entriesOf(folder) ?? []).flatMap(subfolder);
  return [
    ...(isOne ? [config] : []),
    ...below.flatMap((name) => configsBelow(`${folder}/${name}`)),
  ];
}

function subfolder(entry: Dirent): readonly ByteName[] {
  return entry.isDirectory() ? [entry.name] : [];
}

function entriesIn(listed: Buffer): Entries {
  const out = listed.toString('utf8');
  return out.split('\0').flatMap((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [] : [[entry.slice(0, end), entry.slice(end + 1)] as const];
  });
}

const noes: ReadonlySet<string> = new Set(['', '0', 'false', 'no', 'off']);

/** Absolute path of the system's configuration; undefined where there is none that says anything, or the user wants none. */
async function systemConfig({ git, facts, environment }: Repository): Promise<string | undefined> {
  const { GIT_CONFIG_NOSYSTEM: none = '' } = environment;
  if (!noes.has(none.toLowerCase())) return undefined;
  const args = ['config', '--system', '--list', '--show-origin', '--name-only', '-z'];
  const { code, stdout } = await git.ask(args, { answers: [1, 128] });
  const [origin = ''] = stdout.toString('utf8').split('\0');
  return code === 0 && origin.startsWith('file:')
    ? resolve(facts.top, origin.slice('file:'.length))
    : undefined;
}

/** As git-config(1), "Syntax", has values. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Where a remote's repository lies on the web. */
export interface ForgeAddress {
  /** In lower case, with its port where the address has one for the web. */
  readonly host: string;
  /** `OWNER/REPO`, or `GROUP/SUBGROUP/REPO`. */
  readonly path: string;
}

/** The programs that open pull requests: of GitHub and of GitLab. */
export const forgeTools = ['gh', 'glab'] as const;
export type ForgeTool = (typeof forgeTools)[number];

/**
 * Reads the address of a remote (git-fetch(1), "GIT URLS"); undefined where it is no repository of a host: a path, a bundle. A
 * user's name and a password in it are left out.
 */
export function forgeAddress(url: string): ForgeAddress | undefined {
  return url.includes('://') ? ofUrl(url) : ofScp(url);
}

function ofUrl(url: string): ForgeAddress | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(url);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  if (!isWeb && !/^(?:git\+)?ssh:$|^git:$/.test(protocol)) return undefined;
  return address(isWeb && port !== '' ? `${hostname}:${port}` : hostname, pathname);
}

/** `git@host:owner/repo.git`. One letter before the colon is a drive of Windows. */
function ofScp(url: string): ForgeAddress | undefined {
  const [, host = '', path = ''] = /^(?:[^/@:]+@)?([^/@:]{2,}):(?!\/\/)(.+)$/.exec(url) ?? [];
  return address(host, path);
}

function address(host: string, path: string): ForgeAddress | undefined {
  const clean = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  if (host === '' || !/^[^/\s]+(?:\/[^/\s]+)+$/.test(clean)) return undefined;
  // Where SSH goes through the port of the web.
  const known = host.toLowerCase().replace(/^(?:ssh|altssh)\.(github|gitlab)\.com$/, '$1.com');
  return { host: known, path: clean };
}

/** Whose host it is, by its name or by what the environment says of it; undefined where nothing tells. */
export function toolOfHost(
  host: string,
  env: Readonly<Record<string, string | undefined>>,
): ForgeTool | undefined {
  const isSet = (name: string): boolean => bare(env[name] ?? '') === host;
  if (isSet('GH_HOST')) return 'gh';
  if (isSet('GITLAB_HOST') || isSet('GL_HOST')) return 'glab';
  const labels = host.replace(/:\d+$/, '').split('.');
  if (labels.includes('github') || host.endsWith('.ghe.com')) return 'gh';
  return labels.includes('gitlab') ? 'glab' : undefined;
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');
}

import { describe, expect, it } from 'vitest';
import { forgeAddress, toolOfHost } from '../../../src/core/forge-address.ts';
import { addressIn, newPage, planTitle, readList } from '../../../src/core/pull-request.ts';

describe('the address of a remote', () => {
  const spelled = (url: string): string | undefined => {
    const found = forgeAddress(url);
    return found && `${found.host} ${found.path}`;
  };

  it.each([
    ['git@github.com:me/app.git', 'github.com me/app'],
    ['github.com:me/app', 'github.com me/app'],
    ['https://user:secret@GitHub.com/me/app.git/', 'github.com me/app'],
    ['https://git.example.com:8443/a/b/app.git', 'git.example.com:8443 a/b/app'],
    ['ssh://git@ssh.github.com:443/me/app.git', 'github.com me/app'],
    ['ssh://git@altssh.gitlab.com:443/me/app.git', 'gitlab.com me/app'],
    ['git+ssh://git@host.example:2222/me/app', 'host.example me/app'],
    ['git://host.example/me/app.git', 'host.example me/app'],
  ])('%s is %s', (url, expected) => {
    expect(spelled(url)).toBe(expected);
  });

  it.each(['/srv/app.git', '../app.git', 'file:///srv/me/app.git', 'C:/me/app', 'host:app', ''])(
    '%s is of no host',
    (url) => {
      expect(spelled(url)).toBeUndefined();
    },
  );
});

it('knows a host by its name, or by what the environment says', () => {
  const none = {};
  expect(toolOfHost('github.com', none)).toBe('gh');
  expect(toolOfHost('github.example.com', none)).toBe('gh');
  expect(toolOfHost('acme.ghe.com', none)).toBe('gh');
  expect(toolOfHost('gitlab.example.com:8443', none)).toBe('glab');
  expect(toolOfHost('git.example.com', none)).toBeUndefined();
  expect(toolOfHost('notgithub.example', none)).toBeUndefined();
  expect(toolOfHost('git.example.com', { GH_HOST: 'git.example.com' })).toBe('gh');
  expect(toolOfHost('git.example.com', { GITLAB_HOST: 'https://git.example.com/' })).toBe('glab');
});

it('reads what the programs print, and nothing else', () => {
  const own = { number: 1, url: 'https://x/1', baseRefName: 'main', isCrossRepository: false };
  expect(readList('gh', JSON.stringify([own, { ...own, isCrossRepository: true }, {}, 7]))).toEqual(
    [{ number: 1, url: 'https://x/1', base: 'main' }],
  );
  for (const text of ['', 'no', '{}', 'null']) expect(readList('gh', text)).toBeUndefined();
  expect(readList('glab', 'No open merge requests match your search.\n')).toEqual([]);
  expect(readList('glab', '[broken')).toBeUndefined();
  expect(addressIn('see https://a/1 and\nhttps://b/2\n')).toBe('https://b/2');
  expect(addressIn('nothing')).toBeUndefined();
});

it('names the page where it is opened by hand, with what needs it escaped', () => {
  const place = { host: 'github.com', path: 'me/app' };
  expect(newPage('gh', place, { branch: 'a/b#c', base: 'main' })).toBe(
    'https://github.com/me/app/compare/main...a/b%23c?expand=1',
  );
  expect(newPage('glab', place, { branch: 'a/b', base: 'main' })).toContain(
    '[source_branch]=a%2Fb&',
  );
  expect(newPage(undefined, place, { branch: 'a', base: 'b' })).toBeUndefined();
});

it('takes the title from the first heading of level 1', () => {
  expect(planTitle('intro\n\n## no\n# The plan #\n# two\n')).toBe('The plan');
  expect(planTitle('#no\n')).toBeUndefined();
});

import { describe, expect, it } from 'vitest';
import { ledgerPlace, ledgerSecrets } from '../../../src/core/ledger-place.ts';
import { openMask } from '../../../src/core/mask.ts';
import { secretsIn } from '../../../src/core/secrets.ts';

describe('where the ledger is', () => {
  it.each([undefined, '', '  ', 'local'])('%j is the file in the repository', (said) => {
    expect(ledgerPlace(said)).toEqual({ kind: 'local' });
  });

  it.each([
    ['postgres://h/d', 'postgres://h/d'],
    ['postgresql://u@h:5433/d?sslmode=require', 'postgres://u@h:5433/d'],
    ['POSTGRES://u:p%40ss@h', 'postgres://u@h'],
    ['postgres://u@[::1]:5432/d', 'postgres://u@[::1]:5432/d'],
    ['postgres:///d?host=/run/postgresql&password=pw', 'postgres:///d'],
  ])('%s is shared, and shown as %s', (said, shown) => {
    expect(ledgerPlace(said)).toMatchObject({ kind: 'shared', shown, project: undefined });
  });

  it('keeps what was said for the driver, and takes the project out of it', () => {
    const url = 'postgresql://u:pw@h/d?project=the%20web';
    expect(ledgerPlace(` ${url} `)).toMatchObject({ url, project: 'the web' });
  });

  it.each([
    ['mysql://u:secret-1@h/d', 'mysql:// is not known'],
    ['/var/lib/ledger.db', 'it is no address'],
    ['ledger.db', 'it is no address'],
    ['postgres:h', 'it is no address'],
    ['postgres://u:secret-1@more@h/d', 'the address cannot be read'],
    ['postgres://u:secret-1/more@h/d', 'the address cannot be read'],
    ['postgres://u:secret-1?more@h/d', 'the address cannot be read'],
    ['postgres://u:secret-1', 'the address cannot be read'],
    ['postgres://h/d?user=a@b&password=secret-1', 'the address cannot be read'],
    ['postgres://u:secret-1 more@h/d', 'the address cannot be read'],
    ['postgres://u:secret-1@h1:5432,h2:5432/d', 'several hosts'],
    ['postgres://u:secret-1@h:99999/d', '99999 is no port'],
    ['postgres://u:secret-1@h/d?PROJECT=web', 'its parameter PROJECT is not known'],
    ['postgres://h/d?pasword=secret-1', 'its parameter pasword is not known'],
    ['postgres://h/d?project=', 'project= is empty'],
    ['postgres://h/d?sslmode=secret-1', 'its sslmode is none of'],
  ])('%s is none, and why does not repeat it', (said, why) => {
    const place = ledgerPlace(said);
    expect(place).toEqual({ kind: 'wrong', why: expect.stringContaining(why) as string });
    expect(JSON.stringify(place)).not.toContain('secret-1');
  });
});

describe('what of it is a secret', () => {
  const hide = (url: string, text: string): string => openMask(ledgerSecrets(url)).text(text);

  it.each([
    ['postgres://u:aB3-long-and-random@h/d', 'it is aB3-long-and-random!'],
    ['postgres://u:p%40ss-12%2F3@h/d', 'spelt p%40ss-12%2F3 and p@ss-12/3'],
    ['postgres://u@h/d?password=p%40ss-123', 'spelt p%40ss-123 and p@ss-123'],
    ['postgres://u:hunter2@h/d', 'the password is hunter2'],
  ])('of %s the password, as it is and as addresses spell it', (url, text) => {
    const masked = hide(url, text);
    expect(masked).toContain('[masked SKELETON_LEDGER]');
    expect(masked).not.toMatch(/aB3-long|p@ss|p%40ss|hunter2/);
  });

  it('a password that is a plain word is one in its address alone', () => {
    const url = 'postgres://skeleton:skeleton@h/skeleton';
    expect(hide(url, `refs/skeleton/ and ${url}`)).toBe(
      'refs/skeleton/ and postgres://[masked SKELETON_LEDGER]h/skeleton',
    );
    const asked = 'postgres://h/d?user=u&password=skeleton';
    expect(hide(asked, asked)).not.toContain('password=skeleton');
  });

  it.each(['', 'local', 'postgres://u@h/d', 'mysql://u:hunter2@h/d', 'run --ledger x'])(
    'of %j there is none',
    (said) => {
      expect(ledgerSecrets(said)).toEqual([]);
    },
  );

  it('the variable is the one of ours that may hold a secret', () => {
    const url = 'postgres://u:aB3-long-and-random@h/d';
    expect(secretsIn({ SKELETON_LEDGER: url }).map(({ name }) => name)).toContain(
      'SKELETON_LEDGER',
    );
    expect(secretsIn({ SKELETON_TASK_ID: url })).toEqual([]);
  });
});

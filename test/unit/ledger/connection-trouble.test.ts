import { describe, expect, test } from 'vitest';
import { locate } from '../../../src/ledger/postgres/shown-url.ts';
import { explain, explainStatement, isLasting } from '../../../src/ledger/postgres/trouble.ts';

/** What a person is told where a server does not let us in. */

const place = { shown: 'postgres://u@h/d', mask: (text: string) => text };

describe('no connection', () => {
  test('without any password, where one can be put', () => {
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(isLasting(error, true)).toBe(true);
    expect(explain(error, place)).toMatchObject({
      status: 3,
      message:
        'the ledger postgres://u@h/d cannot be reached: the server asks for a password, and none is given',
      mend: expect.stringMatching(/PGPASSWORD or ~\/\.pgpass/) as string,
    });
  });

  test('what a role may not do is no bug of ours', () => {
    const error = Object.assign(new Error('permission denied for table event'), {
      code: '42501',
      severity: 'ERROR',
    });
    expect(explainStatement(error, place, 3)).toMatchObject({
      status: 3,
      message: expect.stringContaining('permission denied for table event') as string,
      mend: expect.stringContaining('skeleton doctor') as string,
    });
    const other = Object.assign(new Error('x'), { code: '23505', severity: 'ERROR' });
    expect(explainStatement(other, place, 3)).toBe(other);
  });
});

test.each(['prefer', 'require', 'verify-ca'])('sslmode=%s means what libpq means', (mode) => {
  const { connection } = locate(`postgres://u@h/d?sslmode=${mode}`);
  expect(new URL(connection).searchParams.get('uselibpqcompat')).toBe('true');
});

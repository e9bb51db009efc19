import { afterEach, expect, it, vi } from 'vitest';
import { apiCaller } from '../../../src/agent/api-caller.ts';
import { startFakeModel } from '../../support/fake-model.ts';

afterEach(() => vi.restoreAllMocks());

it('a key that the user names has to be there', async () => {
  const model = await startFakeModel([]);
  try {
    const caller = (env: Record<string, string>): Promise<void> =>
      apiCaller({ api: model.url, model: 'm', keyEnv: 'NOKEY' }, { env }).assertReady();
    for (const env of [{}, { NOKEY: '' }])
      await expect(caller(env)).rejects.toMatchObject({ status: 3, message: 'NOKEY is not set' });
    await caller({ NOKEY: 'k' });
    await apiCaller({ api: model.url, model: 'm' }, { env: {} }).assertReady();
  } finally {
    await model.close();
  }
});

it('an address with a password is refused without showing it', () => {
  const open = (): unknown => apiCaller({ api: 'http://joe:PASS@127.0.0.1:9/v1' }, { env: {} });
  expect(open).toThrow('the address of 127.0.0.1:9 holds a user name or a password');
  expect(open).not.toThrow(/PASS|joe/);
});

it('a server that keeps silent is told from one that is not there', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(
    AbortSignal.abort(new DOMException('too long', 'TimeoutError')),
  );
  const silent = apiCaller({ api: 'http://127.0.0.1:9/v1' }, { env: {} }).assertReady();
  const message = 'no answer within 10 s at http://127.0.0.1:9/v1';
  await expect(silent).rejects.toMatchObject({ status: 3, message });
});

import { expect, it } from 'vitest';
import { openMask } from '../../../src/core/mask.ts';
import { maskFields, maskTexts } from '../../../src/core/mask-texts.ts';

const mask = openMask([{ name: 'API_KEY', value: 'k3y-0f-mine' }]);

it('masks what people read, at any depth, and no name that something is found by', () => {
  const gate = {
    ...{ name: 'k3y-0f-mine', command: 'curl k3y-0f-mine', log: 'logs/k3y-0f-mine/gate.log' },
    ...{ tail: 'got k3y-0f-mine', ended: 'k3y-0f-mine', digest: 'sha256:0', exit: 1 },
  };
  const failure = { kind: 'gate-failed', detail: 'k3y-0f-mine', paths: ['k3y-0f-mine.txt'] };
  expect(maskTexts({ type: 'x', failure, gates: [gate], token: 'k3y-0f-mine' }, mask)).toEqual({
    type: 'x',
    failure: {
      ...{ kind: 'gate-failed', detail: '[masked API_KEY]', paths: ['[masked API_KEY].txt'] },
    },
    gates: [
      {
        ...gate,
        command: 'curl [masked API_KEY]',
        tail: 'got [masked API_KEY]',
        ended: '[masked API_KEY]',
      },
    ],
    token: 'k3y-0f-mine',
  });
});

it('masks what --json prints, but for what programs find things by', () => {
  const line = { id: 'k3y-0f-mine', ref: 'refs/k3y-0f-mine', size: 3, said: ['k3y-0f-mine', null] };
  expect(maskFields(line, mask)).toEqual({ ...line, said: ['[masked API_KEY]', null] });
});

import type { NotifyConfig } from './config/config.ts';
import type { Secret } from './mask.ts';
import { looksSecret } from './secret-looks.ts';
import { secretsIn } from './secrets.ts';

/** Characters. A shorter path would be found where it means something else. */
const LEAST_PATH = 16;

/** What of the webhook addresses that are written out is nobody else's: who has it may post there. A variable's name is none. */
export function webhookSecrets(targets: readonly NotifyConfig[]): readonly Secret[] {
  return targets.flatMap(({ webhook = '' }) => (webhook.startsWith('$') ? [] : ofAddress(webhook)));
}

function ofAddress(webhook: string): readonly Secret[] {
  const path = /^https?:\/\/[^/?#\s]*([/?#]\S*)$/i.exec(webhook)?.[1] ?? '';
  const pieces = path.split(/[/?&=:#]/).filter(looksSecret);
  const told = [path, ...pieces].filter((text) => text.length >= LEAST_PATH);
  const named = secretsIn({ WEBHOOK: webhook }).map(({ value }) => value);
  return [...new Set([...named, ...told])].map((value) => ({ name: 'webhook', value }));
}

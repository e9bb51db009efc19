import { z } from 'zod';
import type { BuiltInSettings } from './endpoint.ts';

const shape = z.object({
  api: z.url(),
  protocol: z.enum(['openai', 'anthropic']),
  model: z.string().min(1),
  keyVariable: z.string().optional(),
  turns: z.int().min(1),
  tokens: z.int().min(1),
});

/** Throws what is wrong with them. */
export function readSettings(text: string): BuiltInSettings {
  return shape.parse(JSON.parse(text));
}

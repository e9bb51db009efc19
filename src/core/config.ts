/** Configuration, for whoever is outside of core/config and core/plan. */
export type { Config, GateConfig, NotifyConfig } from './config/config.ts';
export { mergeConfig, withCeilings } from './config/merge-config.ts';
export { readProjectConfig } from './config/read-config.ts';
export { configSchema } from './config/schema.ts';

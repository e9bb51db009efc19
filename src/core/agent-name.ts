/** Who worked, for trailers and reports: `claude`, `claude (opus)`. */
export function agentName({
  agent,
  model,
}: {
  readonly agent: string;
  readonly model?: string | undefined;
}): string {
  return model === undefined ? agent : `${agent} (${model})`;
}

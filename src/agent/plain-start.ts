/**
 * The prompt, so that no client takes its first line for a command of its own: Claude Code runs `/name` also from standard
 * input (exit 0, and the model is never asked), and others do so interactively.
 */
export function plainStart(prompt: string): string {
  return /^\s*[/!#@]/.test(prompt) ? `The task:\n\n${prompt}` : prompt;
}

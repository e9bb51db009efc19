import type { Preset } from '../preset.ts';
import { aider } from './aider.ts';
import { amp } from './amp.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursorAgent } from './cursor-agent.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini.ts';
import { kiro } from './kiro.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

/** Every agent that is known by name, in the order in which they are listed. */
export const presets: readonly Preset[] = [
  ...[claude, codex, gemini, opencode, qwen, copilot],
  ...[cursorAgent, amp, aider, cline, droid, kiro],
];

/** By its name or the name of its program. */
export function findPreset(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name || preset.programs.includes(name));
}

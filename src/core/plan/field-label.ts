import { nearest } from '../config/nearest.ts';
import { configKeys } from '../config/keys.ts';

const taskKeys = configKeys.filter(({ places }) => places.includes('task')).map(({ name }) => name);
const fieldKeys = ['id', 'needs', 'goal', 'files', 'acceptance', ...taskKeys];
const knownKeys = new Set(fieldKeys);

/** `**Label:** value`, `**Label**: value` or `label: value`, as it stands. */
export interface Label {
  readonly label: string;
  readonly value: string;
  readonly bold: boolean;
}

const bold = /^\*\*([^*:：\n]{1,60})(?:[:：]\*\*|\*\*[:：])(.*)$/s;
const plain = /^([A-Za-z][A-Za-z_ -]{0,30}):(?:[ \t]+(.*))?$/s;

/** A field that begins the line; plain ones only where they are allowed. */
export function readLabel(line: string, plainToo = false): Label | undefined {
  if (!line.includes(':') && !line.includes('：')) return undefined;
  const text = line.trim();
  const marked = bold.exec(text);
  const [, label, value = ''] = marked ?? (plainToo ? plain.exec(text) : null) ?? [];
  if (label === undefined) return undefined;
  return { label: label.trim(), value: value.trim(), bold: marked !== null };
}

/**
 * The field that a label means; undefined: none, it is text. Case is free, and a blank is as good as `_`. A bold label may
 * say more than its key: `**Files to create:**`, `**Acceptance criteria:**` (contract, "PLAN.md").
 */
export function fieldOf({ label, bold: isBold }: Label): string | undefined {
  const name = label.toLowerCase().replace(/[\s-]+/g, '_');
  if (name === 'depends' || name === 'depends_on') return 'needs';
  if (name === 'validation') return 'acceptance';
  if (knownKeys.has(name)) return name;
  if (!isBold) return undefined;
  if (/^files?(?![a-z])/.test(name)) return 'files';
  return /^acceptance(?![a-z])|validation/.test(name) ? 'acceptance' : undefined;
}

const meantAsNeeds = ['dependencies', 'dependency', 'depend_on', 'blocked_by', 'requires'];

/** What an unknown label was probably meant to be, as it has to be written. */
export function meantField({ label, bold: isBold }: Label): string | undefined {
  const name = label.toLowerCase().replace(/[\s-]+/g, '_');
  if (meantAsNeeds.includes(name)) return isBold ? 'Depends on' : 'needs';
  return isBold ? undefined : nearest(name, [...fieldKeys, 'depends', 'depends_on']);
}

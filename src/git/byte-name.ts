/**
 * A path or ref as git and the file system hold it: bytes, one latin1 character each, `/` between parts. Decoding it as UTF-8
 * would lose names such as `caf\xe9`, so inside this room names stay bytes, and become text only where people or ports see them.
 */
export type ByteName = string;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function toByteName(text: string): ByteName {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** For calls of node:fs. */
export function toPath(name: ByteName): Buffer {
  return Buffer.from(name, 'latin1');
}

/** The name as a port carries it: exact where it is UTF-8; elsewhere each odd byte becomes `\xNN`. */
export function toText(name: ByteName): string {
  if (isAscii(name)) return name;
  try {
    return strict.decode(toPath(name));
  } catch {
    return name.replace(/[\x80-\xff]/g, escapeByte);
  }
}

function isAscii(name: ByteName): boolean {
  for (let at = 0; at < name.length; at += 1) if (name.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** The name as people may safely see it: as toText, with control characters visible too. */
export function toShown(name: ByteName): string {
  // eslint's no-control-regex does not know that a name may hold them: they are built, not written.
  return Array.from(toText(name), (char) => (isControl(char) ? escapeByte(char) : char)).join('');
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

function escapeByte(char: string): string {
  return `\\x${(char.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
}

/** `a`, `a/b` for `a/b/c`: the folders above a path, nearest to the top first. */
export function foldersAbove(name: ByteName): readonly ByteName[] {
  const folders: ByteName[] = [];
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1))
    folders.push(name.slice(0, at));
  return folders;
}

export function isAtOrUnder(name: ByteName, folder: ByteName): boolean {
  return name === folder || name.startsWith(`${folder}/`);
}

/** Order by bytes. */
export function byName(a: ByteName, b: ByteName): number {
  return a < b ? -1 : Number(a > b);
}

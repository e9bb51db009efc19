/** The mark of a box, and a completion marker: both change when a task passes, and say nothing of what it asks for. */
const box = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[^\n[\]]\uFE0F?\]/gmu;
const marker = /<!--[^\n]*?completed[ \t]*-->/g;

/**
 * What tells a task's text from another: 14 hex digits, the same whatever is ticked in it, and however its lines end. It is no
 * secret and no proof, but a hint for people: a plain hash (cyrb53) does, and core stays free of node:crypto.
 */
export function textMark(text: string): string {
  const bare = text
    .replace(box, '$1[ ]')
    .replace(marker, '')
    .replace(/[ \t\r]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < bare.length; at += 1) {
    const code = bare.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0');
}

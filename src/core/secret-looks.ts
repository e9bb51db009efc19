/** Whether a value looks like a secret, told by its shape alone: what a person would write by hand is none. */

const LEAST = 8;
/** A number of a setting, or a time. */
const number = /^\d{1,15}$/;
const colour = /^#[\da-f]{3,8}$/i;
const publicKey =
  /^(?:(?:sk-)?ssh-|(?:sk-)?ecdsa-)\S+(?: \S+.*)?$|^-----BEGIN (?:[A-Z0-9]+ )*(?:PUBLIC KEY|CERTIFICATE)/;
const mailAddress = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** Google hands out passwords for programs as four groups of four letters. */
const appPassword = /^[a-z]{4}(?: [a-z]{4}){3}$/;
const path = /^(?:~?\/|~$|\.{1,2}\/|[A-Za-z]:\\)/;
const address = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s@]*$/i;

/** A public key or certificate, as OpenSSH and PEM have them. */
export function isPublicKey(value: string): boolean {
  return publicKey.test(value);
}

/** At least 8 characters that are no words, number, date, version, host, address, path or public key. */
export function looksSecret(value: string): boolean {
  if (value.length < LEAST || new Set(value).size < 4) return false;
  if (appPassword.test(value)) return true;
  if ([number, colour, publicKey, mailAddress].some((pattern) => pattern.test(value))) return false;
  if (address.test(value)) return value.split(/[/?&=:#]/).some(isRandom);
  return !isWritten(value) && !isPath(value);
}

/** Words and short numbers with something between: `production1`, `node-20-linux-x64`, `example.com:8080`, `2026-11-29`. */
function isWritten(value: string): boolean {
  const pieces = value.split(/[\s\-_./\\:,+=@#~]+/).filter((piece) => piece !== '');
  const letters = value.replace(/\P{L}/gu, '').length;
  const hasWord = pieces.some((piece) => wordsIn(piece).some((word) => word.length >= 4));
  return pieces.every(isPlain) && (hasWord || letters <= 3);
}

/** A word, a number of up to four digits, or both. */
function isPlain(piece: string): boolean {
  const [, letters = '', rest = piece] = /^(\p{L}*)(\d{0,4})$/u.exec(piece) ?? [];
  if (letters === '' && rest === piece) return /^\d{1,4}$/.test(piece);
  return letters.length <= 3 || wordsIn(piece).length > 0;
}

const longestWord = 12;
const vowel = /[aeiouy\u0080-\uffff]/i;
const consonants = /[bcdfghjklmnpqrstvwxz]{5}/i;

/** The words of `redis123` or `userId1`; none where letters are there that make no word. */
function wordsIn(piece: string): readonly string[] {
  const letters = piece.replace(/\d{1,4}$/, '');
  const words = /^\p{Lu}+$/u.test(letters) ? [letters] : letters.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  return words.every(isWord) && letters.length <= 2 * longestWord ? words : [];
}

function isWord(word: string): boolean {
  const isCased = /^\p{L}?(?:\p{Ll}|\p{Lo}|\p{M})+$|^\p{Lu}+$/u.test(word);
  return isCased && word.length <= longestWord && vowel.test(word) && !consonants.test(word);
}

/** Half of its parts can be read, and none is random: a key in base64 may begin with `/` too. */
function isPath(value: string): boolean {
  if (!path.test(value)) return false;
  const parts = value.split(/[/\\]/).filter((part) => !/^(?:|~|\.{1,2}|[A-Za-z]:)$/.test(part));
  const read = parts.filter((part) =>
    part.split(/[\s\-_.]+/).every((one) => one === '' || isPlain(one)),
  );
  return read.length * 2 >= parts.length && !parts.some(isRandom);
}

/** 16 characters or more in which capitals, small letters and digits are mixed. */
function isRandom(part: string): boolean {
  return part
    .split(/[-_.]/)
    .some((one) => one.length >= 16 && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(one)));
}

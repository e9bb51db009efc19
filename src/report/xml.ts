import { oneLine, visible } from '../core/text.ts';

/** XML 1.0 of texts of strangers: whatever they hold, the document stays one. */

/** What no XML 1.0 document may hold, not even as a reference ("2.2 Characters"); control characters are made visible before. */
const illegal = /[\ud800-\udfff\ufffe\uffff]/gu;

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replace(illegal, '\ufffd').replace(/[&<>"]/g, (char) => references[char] ?? char);
}

/** Text as the content of an element; line feeds and tabs stay. */
export function xmlText(text: string): string {
  return escaped(visible(text));
}

export type XmlAttributes = Readonly<Record<string, string | number>>;

/** An element with what is in it, which is XML already. */
export function xmlElement(name: string, attributes: XmlAttributes, content = ''): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(oneLine(String(value)))}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

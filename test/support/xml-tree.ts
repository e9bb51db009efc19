/** A strict reader of the XML that we write: elements, attributes and text, nothing else. Throws where it is not well-formed. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

export function readXml(document: string): XmlNode {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assert(document.startsWith(head), 'no XML declaration');
  const body = document.slice(head.length);
  // XML 1.0, "2.2 Characters".
  const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(body);
  assert(illegal === null, `an illegal character at ${illegal?.index ?? 0}`);
  const stack: Open[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const token = /<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const found of body.matchAll(token)) {
    end += found[0].length;
    take(stack, found);
  }
  assert(end === body.length, `not XML from ${JSON.stringify(body.slice(end, end + 80))}`);
  const [root, ...more] = last(stack).children;
  if (stack.length !== 1 || root === undefined || more.length > 0)
    throw new Error('not exactly one root element');
  return root;
}

function take(
  stack: Open[],
  [, closed, opened = '', attributes = '', empty, text]: RegExpExecArray,
): void {
  if (text !== undefined) last(stack).text += unescaped(text);
  else if (closed !== undefined) close(stack, closed);
  else {
    stack.push({ name: opened, attributes: attributesIn(attributes), children: [], text: '' });
    if (empty === '/') close(stack, opened);
  }
}

function assert(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}

function last(stack: readonly Open[]): Open {
  const top = stack.at(-1);
  if (top === undefined) throw new Error('more is closed than was opened');
  return top;
}

function close(stack: Open[], name: string): void {
  const top = stack.pop();
  if (top?.name !== name) throw new Error(`</${name}> closes <${top?.name ?? ''}>`);
  last(stack).children.push(top);
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size < pairs.length)
    throw new Error('an attribute stands twice');
  return Object.fromEntries(pairs);
}

const references: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

function unescaped(text: string): string {
  if (text.includes(']]>')) throw new Error('"]]>" in text');
  return text.replace(/&[^;]*;?/g, (reference) => {
    const char = references[reference];
    if (char === undefined) throw new Error(`an unknown reference ${reference}`);
    return char;
  });
}

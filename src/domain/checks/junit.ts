/** One test of a report. `skipped` ones say nothing. */
export type ReportedTest = { readonly name: string; readonly result: 'passed' | 'failed' | 'skipped' };

/** No runner nests its suites deeper. */
const deepest = 100;

/**
 * Reads the tests of a JUnit report, with whatever a program prints around it; null when there is no report, or it is cut off. Reads
 * the few elements and attributes that it needs. No document type and no entity of one is ever looked at.
 */
export function readJunit(text: string): readonly ReportedTest[] | null {
  const tests: ReportedTest[] = [];
  let found = false;
  const start = /<testsuites?(?=[\s>/])/g;
  for (let root = start.exec(text); root !== null; root = start.exec(text)) {
    const end = readElement(text, root.index, tests);
    if (end === null) return null;
    found = true;
    start.lastIndex = end;
  }
  return found ? tests : null;
}

type Element = {
  readonly tag: string;
  readonly label: string;
  test: Omit<ReportedTest, 'result'> | null;
  result: Result;
};
type Result = ReportedTest['result'];

/** Reads one element and all in it; returns the place after it, or null when it does not end. */
function readElement(text: string, from: number, tests: ReportedTest[]): number | null {
  const open: Element[] = [];
  let at = from;
  do {
    const next = text.indexOf('<', at);
    if (next < 0) return null;
    const past = skipped(text, next);
    if (past !== undefined) {
      if (past === null) return null;
      at = past;
      continue;
    }
    const end = tagEnd(text, next);
    if (end === null || open.length > deepest) return null;
    const inner = text.slice(next + 1, end);
    at = end + 1;
    if (inner.startsWith('/')) {
      const closed = open.pop();
      if (closed?.tag !== inner.slice(1).trim()) return null;
      close(closed, tests);
      continue;
    }
    const isEmpty = inner.endsWith('/');
    const element = elementOf(isEmpty ? inner.slice(0, -1) : inner, open);
    if (isEmpty) close(element, tests);
    else open.push(element);
  } while (open.length > 0);
  return at;
}

/** The place after a comment, a text block or an instruction; null when it does not end, undefined for an element. */
function skipped(text: string, at: number): number | null | undefined {
  for (const [begin, end] of others) {
    if (!text.startsWith(begin, at)) continue;
    const place = text.indexOf(end, at + begin.length);
    return place < 0 ? null : place + end.length;
  }
  // a document type has no place inside of a report
  return text.startsWith('<!', at) ? null : undefined;
}

const others = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** The place of the `>` that ends a tag. A value in quotes may contain one. */
function tagEnd(text: string, from: number): number | null {
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return null;
}

function elementOf(inner: string, open: readonly Element[]): Element {
  const tag = /^[^\s/>]*/.exec(inner)?.[0] ?? '';
  const attributes = attributesOf(inner.slice(tag.length));
  const label = attributes.get('name') ?? '';
  const parent = open.at(-1);
  if (parent?.test) parent.result = resultIn(tag, parent.result);
  if (tag !== 'testcase') return { tag, label: tag === 'testsuite' ? label : '', test: null, result: 'passed' };
  const places = [attributes.get('file') ?? '', ...open.map((one) => one.label), attributes.get('classname') ?? ''];
  const parts = [...new Set(places.filter((part) => part !== '' && part !== 'test')), label];
  const status = attributes.get('status') ?? '';
  const result = /^(skipped|disabled|notrun)$/i.test(status) ? 'skipped' : 'passed';
  return { tag, label: '', test: { name: parts.join(' › ') }, result };
}

/** A test that failed stays failed, whatever else its element has. */
function resultIn(tag: string, before: Result): Result {
  if (tag === 'failure' || tag === 'error') return 'failed';
  return tag === 'skipped' && before !== 'failed' ? 'skipped' : before;
}

function close({ test, result }: Element, tests: ReportedTest[]): void {
  if (test !== null) tests.push({ ...test, result });
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(name, decoded(double ?? single ?? ''));
  return attributes;
}

/** Replaces the entities that every document has. Each stands for one character, so nothing grows. */
const decoded = (text: string): string =>
  text.replaceAll(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name !== undefined) return named.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

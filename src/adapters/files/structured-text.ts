import { parse as parseToml, stringify as stringifyToml, TomlError } from 'smol-toml';
import { parseDocument, stringify as stringifyYaml } from 'yaml';
import { changedKeys, withKeysOf } from '../../domain/check-definitions/definition.ts';

/** Formats whose keys can be compared, by the extension of the file. */
const formats: readonly (readonly [RegExp, Format])[] = [
  [/\.json$/i, { read: readJson, write: (data) => `${JSON.stringify(data, null, 2)}\n` }],
  [/\.toml$/i, { read: readToml, write: (data) => stringifyToml(data) }],
  [/\.ya?ml$/i, { read: readYaml, write: (data) => stringifyYaml(data) }],
  [/\.(cfg|ini)$/i, { read: readSections, write: writeSections }],
];

type Format = { read(text: string): unknown; write(data: object): string };

/** The longest file that is parsed. Manifests that people write are far shorter. */
export const longestDocument = 1 << 20;

const formatOf = (path: string): Format | null => formats.find(([ending]) => ending.test(path))?.[1] ?? null;

/** Parses a document; undefined when its format is unknown, or it is too long or malformed. */
export function readDocument(path: string, text: string): unknown {
  const format = formatOf(path);
  if (format === null || text.length > longestDocument) return undefined;
  try {
    return format.read(text);
  } catch (error) {
    // nested more deeply than a parser can follow
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Writes a document in the format of the path; null when the format cannot hold the value. */
function writeDocument(path: string, data: object): string | null {
  try {
    return formatOf(path)?.write(data) ?? null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const documentOf = (path: string, text: string | null): unknown => (text === null ? {} : readDocument(path, text));

/** Returns the keys at which two versions of a document differ; null when they cannot be compared. A missing document has no keys. */
export function keysBetweenTexts(path: string, before: string | null, after: string | null): readonly string[] | null {
  const [old, now] = [documentOf(path, before), documentOf(path, after)];
  if (old === undefined || now === undefined) return null;
  try {
    return changedKeys(old, now);
  } catch (error) {
    // nested too deeply to be compared
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the document `after` with these keys as in `before`; null when it cannot be written. */
export function withKeysOfText(
  path: string,
  { before, after }: { readonly before: string | null; readonly after: string | null },
  keys: readonly string[],
): string | null {
  const [old, now] = [documentOf(path, before), documentOf(path, after)];
  return old === undefined || now === undefined ? null : writeDocument(path, withKeysOf(old, now, keys));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

function readYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // an alias without an anchor, or too many of them
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/**
 * Returns the sections of an INI file with their lines unparsed. Undefined where programs disagree about section headers: some accept
 * `[mypy] x`.
 */
function readSections(text: string): unknown {
  const sections: Record<string, string> = Object.create(null);
  let name = '';
  let hasOption = false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: some programs end a line at these, others do not
  if (/[\v\f\x1c-\x1e\x85\u2028\u2029]/.test(text)) return undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const head = /^\[([^\]]+)\]\s*(?:[#;].*)?$/.exec(line)?.[1];
    if (head !== undefined) {
      name = head;
      hasOption = false;
    } else if (/^\[/.test(line) || (/^\s+\[/.test(line) && !hasOption)) return undefined;
    else if (line.trim() !== '' && !/^[#;]/.test(line)) {
      sections[name] = `${sections[name] ?? ''}${line}\n`;
      hasOption = true;
    }
  }
  return sections;
}

function writeSections(data: object): string {
  return Object.entries(data)
    .sort(([a], [b]) => Number(a !== '') - Number(b !== ''))
    .map(([name, lines]) => (name === '' ? String(lines) : `[${name}]\n${lines}`))
    .join('\n');
}

import type { DocumentRules, KeyLevel, NamedValue, ValueRule, ValueType } from '../../findings/document-rules.ts';
import type { FindingsOf } from '../../findings/finding.ts';
import type { Sentence, Sentences } from '../sentence.ts';

type SourceRule = 'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8' | 'file-unreadable';

/** A sentence about a file. A directive is introduced by its task. */
function source({ file, directiveOf }: FindingsOf<Pick<DocumentRules, SourceRule>>, fault: string, fix?: string) {
  const detail = directiveOf === undefined ? `${file} ${fault}` : `directive of \`${directiveOf}\`: ${file} ${fault}`;
  return fix === undefined ? { detail } : { detail, fix };
}

const megabyte = 1024 * 1024;
const sizeText = (bytes: number): string =>
  bytes >= megabyte ? `${bytes / megabyte} MB` : `${Math.floor(bytes / 1024)} KB`;

const valueName = ({ key, isItem }: NamedValue): string =>
  key === null ? 'the document' : isItem ? `an item of \`${key}\`` : `\`${key}\``;

const typeNames: Readonly<Record<ValueType, string>> = {
  text: 'text',
  number: 'a number',
  'whole-number': 'a whole number',
  'not-a-number': 'not a number',
  infinite: 'infinite',
  boolean: 'true or false',
  list: 'a list',
  mapping: 'a mapping',
  empty: 'empty',
  missing: 'missing',
  other: 'something else',
};

function typeFix(expected: readonly ValueType[], actual: ValueType): string | undefined {
  if (expected.length !== 1) return undefined;
  if (expected[0] === 'text' && ['number', 'boolean', 'empty'].includes(actual)) return 'put quotes around it';
  return expected[0] === 'list' && actual === 'text' ? 'put it in brackets: `[ ]`' : undefined;
}

function wrongValue(name: string, must: ValueRule): Sentence | string {
  switch (must.be) {
    case 'one-of':
      return `${name} must be ${must.choices.length > 1 ? 'one of ' : ''}${must.choices.join(', ')}`;
    case 'valid-key':
      return `${name} is not a valid key`;
    case 'well-formed':
      return `${name} has an invalid format`;
    case 'duration':
      return { detail: `${name} is not a duration`, fix: 'write it as `30m`, `24h` or `7d`' };
    case 'other':
      return `${name}: ${must.words}`;
    default: {
      const { unit, bound } = must;
      return `${name} must ${unit === null ? 'be' : 'have'} ${bounds[must.be]}${bound}${unit === null ? '' : ` ${unit}`}`;
    }
  }
}

const bounds = { 'at-least': '>=', 'more-than': '>', 'at-most': '<=', 'less-than': '<' } as const;

const yamlFixes: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  MULTIPLE_DOCS: 'a file holds one document: remove the `---`',
  TAG_RESOLVE_FAILED: 'tags are not supported: remove it',
};

function keyFix(key: string, meant: string | null, belongs: readonly KeyLevel[]): string {
  const place = belongs.map((level) => levelNames[level]).join(' or ');
  if (meant === null) return place === '' ? 'remove it' : `\`${key}\` belongs in ${place}`;
  return `did you mean \`${meant}\`?${place === '' ? '' : ` It belongs in ${place}`}`;
}

const levelNames: Readonly<Record<KeyLevel, string>> = {
  plan: 'the top level of the plan',
  wave: 'a wave',
  task: 'a task',
  configuration: '`tidegate.yaml` or your own configuration',
  limits: '`limits`',
  'limits.run': '`limits.run`',
  fence: '`fence`',
  taps: '`taps`',
  checks: 'an entry of `checks`',
  setup: '`setup`',
  thread: '`thread`',
  exit: '`exit` of a task',
  disk: '`disk`',
  notify: '`notify`',
};

const idFix = 'use up to 64 lower-case letters, digits and `-`, starting with a letter or digit';

export const documentSentences: Sentences<DocumentRules> = {
  'file-missing': (finding) =>
    finding.directiveOf === undefined
      ? source(finding, 'does not exist')
      : source(finding, 'does not exist', `create ${finding.file}; paths are relative to the plan file`),
  'not-a-file': (finding) =>
    source(finding, finding.isDirectory ? 'is a directory, not a file' : 'is not a regular file'),
  'file-too-large': (finding) => source(finding, `has ${finding.bytes} bytes; the limit is ${sizeText(finding.most)}`),
  'not-utf-8': (finding) => source(finding, 'is not valid UTF-8', 'save it as UTF-8'),
  'file-unreadable': (finding) =>
    source(finding, finding.fault === 'denied' ? 'cannot be read' : 'is not a usable path'),
  'yaml-syntax': ({ code, words }) => {
    const fix = yamlFixes[code];
    return fix === undefined ? words : { detail: words, fix };
  },
  'yaml-depth': ({ most }) => `the document is nested more than ${most} levels deep`,
  'duplicate-key': () => ({ detail: 'this key occurs twice', fix: 'remove one of them' }),
  'yaml-alias': (finding) => {
    switch (finding.fault) {
      case 'no-anchor':
        return `this alias has no anchor \`&${finding.alias}\` before it`;
      case 'contains-itself':
        return `\`*${finding.alias}\` contains itself`;
      case 'too-many':
        return `the document has more than ${finding.most} aliases`;
      case 'expands':
        return 'nested aliases expand to too many nodes';
    }
  },
  'unknown-key': ({ key, meant, belongs = [], among }) => {
    if (among === 'person') return { detail: `unknown key \`${key}\``, fix: 'set it in your own configuration' };
    if (among === 'keys') return { detail: `unknown key \`${key}\``, fix: keyFix(key, meant, belongs) };
    const detail = `unknown option \`${key}\``;
    return meant === null ? detail : { detail, fix: `did you mean \`--${meant}\`?` };
  },
  'missing-key': ({ key, isItem }) => ({
    detail: `${valueName({ key, isItem })} is missing`,
    ...(key === null ? {} : { fix: `add \`${key}:\`` }),
  }),
  'wrong-type': ({ key, isItem, expected, actual }) => {
    const must = expected.map((type) => typeNames[type]).join(' or ');
    const detail = `${valueName({ key, isItem })} is ${typeNames[actual]} but must be ${must}`;
    const fix = typeFix(expected, actual);
    return fix === undefined ? detail : { detail, fix };
  },
  'wrong-value': ({ key, isItem, must }) => wrongValue(valueName({ key, isItem }), must),
  'empty-text': (finding) => `${valueName(finding)} is empty`,
  'bad-id': ({ fault, ...named }) =>
    fault === 'reserved'
      ? { detail: `${valueName(named)} is reserved`, fix: 'choose another id' }
      : { detail: `${valueName(named)} is not ${fault === 'id' ? 'an id' : 'a task id'}`, fix: idFix },
  'empty-plan': ({ fault }) => ({
    detail: {
      empty: 'the plan is empty',
      'no-mapping': 'the plan is not a mapping with `tasks:` or `waves:`',
      'no-task': 'the plan has no task',
    }[fault],
    fix: 'add `tasks:` with at least one `id: brief`',
  }),
  'tasks-and-waves': () => ({ detail: 'the plan has both `tasks` and `waves`', fix: 'keep one of them' }),
  'bad-redirect': (finding) => {
    switch (finding.fault) {
      case 'second':
        return 'a redirect points to another redirect instead of a plan';
      case 'other-keys':
        return 'a redirect may only have the key `plan:`';
      case 'leaves-repository':
        return `\`${finding.path}\` is outside the repository`;
    }
  },
  'front-matter-contradicts': ({ key, words: [here, plan] }) => ({
    detail: `\`${key}\` is ${here} here, but ${plan} in the plan`,
    fix: 'set it in one place only',
  }),
};

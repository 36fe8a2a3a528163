/** A file that a person or an agent wrote could not be read, is no proper YAML, or does not fit its schema. */
export type DocumentRules = {
  // files
  'file-missing': SourceFile;
  'not-a-file': SourceFile & { readonly isDirectory: boolean };
  'file-too-large': SourceFile & { readonly bytes: number; readonly most: number };
  'not-utf-8': SourceFile;
  'file-unreadable': SourceFile & { readonly fault: 'denied' | 'path' };
  // YAML; `code` and `words` are the parser's
  'yaml-syntax': { readonly code: string; readonly words: string };
  'yaml-depth': { readonly most: number };
  'duplicate-key': unknown;
  'yaml-alias':
    | { readonly fault: 'no-anchor' | 'contains-itself'; readonly alias: string }
    | { readonly fault: 'too-many'; readonly most: number }
    | { readonly fault: 'expands' };
  // schemas
  /**
   * `meant` is a known key that is spelt much like it. `belongs`: the levels that have `meant`, or else the key itself, where this one
   * does not. `among`: what it is no part of; `person`: only their own file has it.
   */
  'unknown-key': {
    readonly key: string;
    readonly meant: string | null;
    readonly belongs?: readonly KeyLevel[];
    readonly among: 'keys' | 'flags' | 'person';
  };
  'missing-key': NamedValue;
  'wrong-type': NamedValue & { readonly expected: readonly ValueType[]; readonly actual: ValueType };
  'wrong-value': NamedValue & { readonly must: ValueRule };
  'empty-text': NamedValue;
  'bad-id': NamedValue & { readonly fault: 'reserved' | 'task-id' | 'id' };
  // plans
  'empty-plan': { readonly fault: 'empty' | 'no-mapping' | 'no-task' };
  'tasks-and-waves': unknown;
  'bad-redirect':
    | { readonly fault: 'second' | 'other-keys' }
    | { readonly fault: 'leaves-repository'; readonly path: string };
  /** `words`: what the front matter says, then what the plan says, as JSON. */
  'front-matter-contradicts': { readonly key: string; readonly words: readonly [string, string] };
};

/** A mapping that has keys of its own. */
export type KeyLevel =
  | 'plan'
  | 'wave'
  | 'task'
  | 'configuration'
  | 'limits'
  | 'limits.run'
  | 'fence'
  | 'taps'
  | 'checks'
  | 'setup'
  | 'thread'
  | 'exit'
  | 'disk'
  | 'notify';

/** `directiveOf` is the task that names the file as its directive. */
type SourceFile = { readonly file: string; readonly directiveOf?: string };

/** `key` is the nearest key at or above a value; null for the whole document. `isItem`: the value is an item of its list. */
export type NamedValue = { readonly key: string | null; readonly isItem: boolean };

export type ValueType =
  | 'text'
  | 'number'
  | 'whole-number'
  | 'not-a-number'
  | 'infinite'
  | 'boolean'
  | 'list'
  | 'mapping'
  | 'empty'
  | 'missing'
  | 'other';

export type ValueRule =
  | { readonly be: 'one-of'; readonly choices: readonly string[] }
  | { readonly be: 'valid-key' | 'well-formed' | 'duration' }
  | {
      readonly be: 'at-least' | 'more-than' | 'at-most' | 'less-than';
      readonly bound: number;
      readonly unit: 'characters' | 'items' | null;
    }
  /** `words` are the schema library's. */
  | { readonly be: 'other'; readonly words: string };

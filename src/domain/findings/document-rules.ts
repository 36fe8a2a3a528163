/** A file of a person or an agent cannot be read, is not valid YAML, or does not match its schema. */
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
   * `meant` is a known key with a similar spelling. `belongs` holds the levels where that key, or else `key`, is allowed. `among` says
   * which names were expected; `person`: the key is allowed only in the person's own file.
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
  /** `words`: the value of the front matter, then the value of the plan, as JSON. */
  'front-matter-contradicts': { readonly key: string; readonly words: readonly [string, string] };
};

/** A mapping with its own set of keys. */
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

/** `directiveOf` is the task whose directive the file is. */
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
  /** `words` is the message of the schema library. */
  | { readonly be: 'other'; readonly words: string };

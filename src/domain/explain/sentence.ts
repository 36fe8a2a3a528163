import type { Finding, FindingsOf, Rule } from '../findings/finding.ts';

/** A rule in words. Sentences start in lower case, have no full stop at the end, and follow the name of their subject. */
export type Sentence = {
  readonly detail: string;
  /** A command, or something that a person can do. */
  readonly fix?: string;
  /** The command to run after `fix`. Absent where it depends on the state of the run. */
  readonly command?: string;
};

/** One entry per rule, so a rule without a sentence does not compile. `explain` is for findings inside the finding. */
export type Sentences<R> = {
  readonly [K in keyof R & string]: (finding: FindingsOf<Pick<R, K>>, explain: Explain) => Sentence | string;
};

export type Explain = (finding: Finding) => Sentence;

/** A finding in words, as people, programs and prompts get it. */
export type Explained = Omit<Sentence, 'command'> & { readonly rule: string; readonly where?: string };

/** Rules whose sentence names the place itself. For all others the place comes first. */
const naming: ReadonlySet<Rule> = new Set<Rule>([
  'read-only',
  'locked',
  'agent-config',
  'check-definition',
  'out-of-scope',
  'protected',
  'bad-path',
  'git-path',
  'reserved-path',
  'nested-repository',
  'bad-mode',
  'link-leaves',
  'two-spellings',
  'owns-protected',
  'outside-workspace',
  'own-config',
  'draft-read',
  'generated-not-plain',
  'generated-replaces',
  'handoff-directory',
  'handoff-file',
  'handoff-size',
]);

/** Puts the place in front of a sentence that does not name it. */
export const withPlace = ({ rule, where }: Finding, detail: string): string =>
  where === undefined || naming.has(rule) ? detail : `${where}: ${detail}`;

import type { Finding, FindingsOf, Rule } from '../findings/finding.ts';

/** A rule in words. Sentences begin small, end without a full stop, and follow the name of what they are about. */
export type Sentence = {
  readonly detail: string;
  /** A command or an edit that a person can make. */
  readonly fix?: string;
  /** What to type after `fix`, where the reader knows no better command from the state of the run. */
  readonly command?: string;
};

/** One entry for each rule: a rule without a sentence does not compile. `explain` is for findings within the finding. */
export type Sentences<R> = {
  readonly [K in keyof R & string]: (finding: FindingsOf<Pick<R, K>>, explain: Explain) => Sentence | string;
};

export type Explain = (finding: Finding) => Sentence;

/** A finding as people, programs and prompts are shown it. */
export type Explained = Omit<Sentence, 'command'> & { readonly rule: string; readonly where?: string };

/** Rules whose sentence names the place itself; the others are shown behind it. */
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

/** A sentence behind the place that it is about. */
export const withPlace = ({ rule, where }: Finding, detail: string): string =>
  where === undefined || naming.has(rule) ? detail : `${where}: ${detail}`;

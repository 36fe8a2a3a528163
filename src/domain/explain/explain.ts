import type { Finding, FindingsOf, Rule, Rules } from '../findings/finding.ts';
import type { Verdict } from '../verdict.ts';
import { attemptSentences } from './attempt-sentences.ts';
import { denialSentences } from './denial-sentences.ts';
import { gateSentences } from './gate-sentences.ts';
import { handoffSentences } from './handoff-sentences.ts';
import { scopeSentences } from './scope-sentences.ts';
import { snapshotSentences } from './snapshot-sentences.ts';
import { threadSentences } from './thread-sentences.ts';

/** A rule in words. Sentences begin small, end without a full stop, and follow the name of what they are about. */
export type Sentence = {
  readonly detail: string;
  /** A command or an edit that a person can make. */
  readonly fix?: string;
};

/** One entry for each rule: a rule without a sentence does not compile. */
export type Sentences<R> = { readonly [K in keyof R & string]: (finding: FindingsOf<Pick<R, K>>) => Sentence | string };

const sentences: Sentences<Rules> = {
  ...gateSentences,
  ...scopeSentences,
  ...attemptSentences,
  ...snapshotSentences,
  ...handoffSentences,
  ...denialSentences,
  ...threadSentences,
};

/** A finding as people, programs and prompts are shown it. */
export type Explained = Sentence & { readonly rule: string; readonly where?: string };

export function explain(finding: Finding): Explained {
  if ('detail' in finding) return finding;
  const { rule, where } = finding;
  const said = (sentences[rule] as (one: Finding) => Sentence | string)(finding);
  return { rule, ...(typeof said === 'string' ? { detail: said } : said), ...(where === undefined ? {} : { where }) };
}

/** On one line, with its place where the sentence does not name it. */
export function describeFinding(finding: Finding): string {
  const { detail, where } = explain(finding);
  return where === undefined || detail.includes(where) ? detail : `${where}: ${detail}`;
}

/** The same with what a person can do about it, where something can be done. */
export function describeWithFix(finding: Finding): string {
  const { fix } = explain(finding);
  if (fix === undefined) return describeFinding(finding);
  return `${describeFinding(finding)}${fix.includes('\n') ? '\n' : '; '}fix: ${fix}`;
}

export function describeVerdict(verdict: Verdict): readonly string[] {
  return verdict.outcome === 'pass' ? [] : verdict.findings.map(describeFinding);
}

/** With its findings in words. */
export function explainVerdict(verdict: Verdict) {
  if (verdict.outcome === 'pass') return verdict;
  return { ...verdict, findings: verdict.findings.map(explain) };
}

export const knownRules = Object.keys(sentences) as readonly Rule[];

import type { Finding, FindingsOf, Rule, Rules } from '../findings/finding.ts';
import type { Verdict } from '../verdict.ts';
import { gateSentences } from './gate-sentences.ts';
import { haltSentences } from './halt-sentences.ts';
import { landingSentences } from './landing-sentences.ts';
import { mergerSentences } from './merger-sentences.ts';
import { requestSentences } from './request-sentences.ts';
import { scopeSentences } from './scope-sentences.ts';
import { sessionSentences } from './session-sentences.ts';

/** A rule in words. Sentences begin small, end without a full stop, and follow the name of what they are about. */
export type Sentence = {
  readonly detail: string;
  /** A command or an edit that a person can make. */
  readonly fix?: string;
  /** What to type after `fix`, where who tells it does not know a better command from the state of the run. */
  readonly command?: string;
};

/** One entry for each rule: a rule without a sentence does not compile. */
export type Sentences<R> = { readonly [K in keyof R & string]: (finding: FindingsOf<Pick<R, K>>) => Sentence | string };

const sentences: Sentences<Rules> = {
  ...gateSentences,
  ...scopeSentences,
  ...requestSentences,
  ...haltSentences,
  ...landingSentences,
  ...mergerSentences,
  ...sessionSentences,
};

/** A finding as people, programs and prompts are shown it. */
export type Explained = Omit<Sentence, 'command'> & { readonly rule: string; readonly where?: string };

export function explain(finding: Finding): Explained {
  if ('detail' in finding) return finding;
  const { rule, where } = finding;
  const { detail, ...advice } = sentenceOf(finding);
  const fix = adviceText(advice);
  return { rule, detail, ...(fix === undefined ? {} : { fix }), ...(where === undefined ? {} : { where }) };
}

/** Its parts: what is wrong, what to do about it, and what to type then. */
export function sentenceOf(finding: Finding): Sentence {
  if ('detail' in finding) return finding;
  const said = (sentences[finding.rule] as (one: Finding) => Sentence | string)(finding);
  return typeof said === 'string' ? { detail: said } : said;
}

/** What to do and what to type then, on one line. */
export function adviceText({ fix, command }: Pick<Sentence, 'fix' | 'command'>): string | undefined {
  return fix === undefined || command === undefined ? (fix ?? command) : `${fix}, then: ${command}`;
}

/** With what to do about it, on one line: a refusal. */
export function describeWithFix(finding: Finding): string {
  const { detail, fix } = explain(finding);
  return fix === undefined ? detail : `${detail}; ${fix}`;
}

/** On one line, with its place where the sentence does not name it. */
export function describeFinding(finding: Finding): string {
  const { detail, where } = explain(finding);
  return where === undefined || detail.includes(where) ? detail : `${where}: ${detail}`;
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

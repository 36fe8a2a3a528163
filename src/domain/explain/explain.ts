import { safeLine } from '../base/safe-text.ts';
import type { Finding, Rule, Rules } from '../findings/finding.ts';
import type { Verdict } from '../gates/verdict.ts';
import { canonicalJson } from '../plan/plan.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';
import type { Explain, Explained, Sentence, Sentences } from './sentence.ts';
import { withPlace } from './sentence.ts';
import { attemptSentences, denialSentences, handoffSentences } from './sentences/attempt-sentences.ts';
import { scopeSentences, snapshotSentences } from './sentences/change-sentences.ts';
import { dcmSentences } from './sentences/dcm-sentences.ts';
import { documentSentences } from './sentences/document-sentences.ts';
import { gateSentences, threadSentences } from './sentences/gate-sentences.ts';
import { haltSentences } from './sentences/halt-sentences.ts';
import { landingSentences, pullRequestSentences } from './sentences/landing-sentences.ts';
import { mergerSentences } from './sentences/merger-sentences.ts';
import { planSentences, settingsSentences } from './sentences/plan-sentences.ts';
import { preflightSentences, repositorySentences } from './sentences/repository-sentences.ts';
import { requestSentences } from './sentences/request-sentences.ts';

const sentences: Sentences<Rules> = {
  ...gateSentences,
  ...scopeSentences,
  ...documentSentences,
  ...planSentences,
  ...settingsSentences,
  ...repositorySentences,
  ...preflightSentences,
  ...attemptSentences,
  ...snapshotSentences,
  ...handoffSentences,
  ...denialSentences,
  ...threadSentences,
  ...requestSentences,
  ...haltSentences,
  ...landingSentences,
  ...pullRequestSentences,
  ...mergerSentences,
  ...dcmSentences,
};

/** A finding in words, for people, programs and prompts alike. */
export function explain(finding: Finding): Explained {
  const { rule, where } = finding;
  const { detail, ...advice } = sentenceOf(finding);
  const fix = adviceText(advice);
  return { rule, detail, ...(fix === undefined ? {} : { fix }), ...(where === undefined ? {} : { where }) };
}

/** Its parts: what is wrong, what to do about it, and what to type then. */
export function sentenceOf(finding: Finding): Sentence {
  const { rule, where: _, ...facts } = finding;
  const sentence = sentences[rule] as ((one: Finding, nested: Explain) => Sentence | string) | undefined;
  // of another version, which has a rule that this one does not know
  if (sentence === undefined) return { detail: `${rule} ${canonicalJson(facts)}` };
  const made = sentence(finding, sentenceOf);
  return typeof made === 'string' ? { detail: made } : made;
}

/** The fix and the command to type after it, on one line. */
export const adviceText = ({ fix, command }: Pick<Sentence, 'fix' | 'command'>): string | undefined =>
  fix === undefined || command === undefined ? (fix ?? command) : `${fix}, then: ${command}`;

/** On one line whatever others said in it, with its place where the sentence does not name it. */
export const describeFinding = (finding: Finding): string => safeLine(withPlace(finding, sentenceOf(finding).detail));

/** The same with what a person can do about it, where something can be done. */
export function describeWithFix(finding: Finding): string {
  const { fix } = explain(finding);
  if (fix === undefined) return describeFinding(finding);
  return `${describeFinding(finding)}${fix.includes('\n') ? '\n' : '; '}fix: ${fix}`;
}

/** A refusal, with what to do instead, on one line. */
export function describeRefusal(finding: Finding): string {
  const { detail, fix } = explain(finding);
  return safeLine(fix === undefined ? detail : `${detail}; ${fix}`);
}

/** For the agent that is to fix it: with what programs printed. */
export const promptLines = (finding: Finding): readonly string[] => [
  describeFinding(finding),
  ...(finding.rule === 'check-fails' ? finding.words.map((line) => `it printed: ${line}`) : []),
];

export function describeVerdict(verdict: Verdict): readonly string[] {
  return verdict.outcome === 'pass' ? [] : verdict.findings.map(describeFinding);
}

/** With its findings in words. */
export function explainVerdict(verdict: Verdict) {
  if (verdict.outcome === 'pass') return verdict;
  return { ...verdict, findings: verdict.findings.map(explain) };
}

export const knownRules = Object.keys(sentences) as readonly Rule[];

/** Everything known of a trouble besides its kind; empty when nothing is. */
export function describeTrouble({ words, retryMs, because }: AgentFailure): string {
  const ours = because === undefined ? '' : describeWithFix(because);
  return [ours, words, retryMs === undefined ? '' : `retry in ${retryMs} ms`].filter(Boolean).join(', ');
}

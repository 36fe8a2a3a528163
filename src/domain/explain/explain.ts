import { safeLine } from '../base/safe-text.ts';
import type { Finding, Rule, Rules } from '../findings/finding.ts';
import type { Verdict } from '../gates/verdict.ts';
import { canonicalJson } from '../plan/plan.ts';
import type { AgentFailure } from '../tool-calls/agent-event.ts';
import { type Explain, type Explained, type Sentence, type Sentences, withPlace } from './sentence.ts';
import { attemptSentences } from './sentences/attempt-sentences.ts';
import { boardSentences } from './sentences/board-sentences.ts';
import { changeSentences } from './sentences/change-sentences.ts';
import { dcmSentences } from './sentences/dcm-sentences.ts';
import { dependencySentences } from './sentences/dependency-sentences.ts';
import { documentSentences } from './sentences/document-sentences.ts';
import { gateSentences } from './sentences/gate-sentences.ts';
import { haltSentences } from './sentences/halt-sentences.ts';
import { landingSentences } from './sentences/landing-sentences.ts';
import { mergerSentences } from './sentences/merger-sentences.ts';
import { planSentences } from './sentences/plan-sentences.ts';
import { relaunchSentences } from './sentences/relaunch-sentences.ts';
import { repositorySentences } from './sentences/repository-sentences.ts';
import { requestSentences } from './sentences/request-sentences.ts';

const sentences: Sentences<Rules> = {
  ...documentSentences,
  ...planSentences,
  ...repositorySentences,
  ...changeSentences,
  ...attemptSentences,
  ...gateSentences,
  ...haltSentences,
  ...landingSentences,
  ...mergerSentences,
  ...requestSentences,
  ...dependencySentences,
  ...relaunchSentences,
  ...boardSentences,
  ...dcmSentences,
};

/** A finding in words, the same for people, programs and prompts. */
export function explain(finding: Finding): Explained {
  const { rule, where } = finding;
  const { detail, ...advice } = sentenceOf(finding);
  const fix = adviceText(advice);
  return { rule, detail, ...(fix === undefined ? {} : { fix }), ...(where === undefined ? {} : { where }) };
}

/** The parts of the sentence: what is wrong, the fix, and the command to run next. */
export function sentenceOf(finding: Finding): Sentence {
  const { rule, where: _, ...facts } = finding;
  const sentence = sentences[rule] as ((one: Finding, nested: Explain) => Sentence | string) | undefined;
  // a newer version recorded a rule that this one does not have
  if (sentence === undefined) return { detail: `${rule} ${canonicalJson(facts)}` };
  const words = sentence(finding, sentenceOf);
  return typeof words === 'string' ? { detail: words } : words;
}

/** The fix and the command to run after it, on one line. */
export const adviceText = ({ fix, command }: Pick<Sentence, 'fix' | 'command'>): string | undefined =>
  fix === undefined || command === undefined ? (fix ?? command) : `${fix}, then run: ${command}`;

/** One line, whatever text of others it contains. The place comes first where the sentence does not name it. */
export const describeFinding = (finding: Finding): string => safeLine(withPlace(finding, sentenceOf(finding).detail));

/** The finding with its fix, if it has one. */
export function describeWithFix(finding: Finding): string {
  const { fix } = explain(finding);
  if (fix === undefined) return describeFinding(finding);
  return `${describeFinding(finding)}${fix.includes('\n') ? '\n' : '; '}fix: ${fix}`;
}

/** A refusal with its fix, on one line. */
export function describeRefusal(finding: Finding): string {
  const { detail, fix } = explain(finding);
  return safeLine(fix === undefined ? detail : `${detail}; ${fix}`);
}

/** A finding for the agent that must fix it, with the output of the check. */
export const promptLines = (finding: Finding): readonly string[] => [
  describeFinding(finding),
  ...(finding.rule === 'check-fails' ? finding.words.map((line) => `output: ${line}`) : []),
];

export function describeVerdict(verdict: Verdict): readonly string[] {
  return verdict.outcome === 'pass' ? [] : verdict.findings.map(describeFinding);
}

/** A verdict with its findings in words. */
export function explainVerdict(verdict: Verdict) {
  if (verdict.outcome === 'pass') return verdict;
  return { ...verdict, findings: verdict.findings.map(explain) };
}

export const knownRules = Object.keys(sentences) as readonly Rule[];

/** Describes a failure of an agent beyond its kind; empty when nothing more is known. */
export function describeTrouble({ words, retryMs, because }: AgentFailure): string {
  const ours = because === undefined ? '' : describeWithFix(because);
  return [ours, words, retryMs === undefined ? '' : `retry in ${retryMs} ms`].filter(Boolean).join(', ');
}

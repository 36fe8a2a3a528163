import type { Finding, Rule, Rules } from '../findings/finding.ts';
import type { Verdict } from '../verdict.ts';
import { attemptSentences } from './attempt-sentences.ts';
import { denialSentences } from './denial-sentences.ts';
import { documentSentences } from './document-sentences.ts';
import { gateSentences } from './gate-sentences.ts';
import { handoffSentences } from './handoff-sentences.ts';
import { planSentences } from './plan-sentences.ts';
import { repositorySentences } from './repository-sentences.ts';
import { scopeSentences } from './scope-sentences.ts';
import type { Explain, Explained, Sentence, Sentences } from './sentence.ts';
import { settingsSentences } from './settings-sentences.ts';
import { snapshotSentences } from './snapshot-sentences.ts';
import { threadSentences } from './thread-sentences.ts';

const sentences: Sentences<Rules> = {
  ...gateSentences,
  ...scopeSentences,
  ...documentSentences,
  ...planSentences,
  ...settingsSentences,
  ...repositorySentences,
  ...attemptSentences,
  ...snapshotSentences,
  ...handoffSentences,
  ...denialSentences,
  ...threadSentences,
};

export function explain(finding: Finding): Explained {
  if ('detail' in finding) return finding;
  const { rule, where } = finding;
  const said = (sentences[rule] as (one: Finding, nested: Explain) => Sentence | string)(finding, explain);
  return { rule, ...(typeof said === 'string' ? { detail: said } : said), ...(where === undefined ? {} : { where }) };
}

/** On one line, with its place where the sentence does not name it. */
export function describeFinding(finding: Finding): string {
  const { detail, where } = explain(finding);
  return where === undefined || detail.includes(where) ? detail : `${where}: ${detail}`;
}

/** For the agent that is to fix it: with what programs printed. */
export const promptLines = (finding: Finding): readonly string[] => [
  describeFinding(finding),
  ...(finding.rule === 'check-fails' && 'words' in finding ? finding.words.map((line) => `it printed: ${line}`) : []),
];
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

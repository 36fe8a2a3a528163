import { nearestWord } from '../base/nearest-word.ts';
import { type ExitPart, exitLevels, exitParts, provesLevel, requiredLevels } from '../closure/exit-contract.ts';
import { intersect, parsePattern } from '../scope/pattern.ts';
import type { ResolvedSettings } from '../settings/settings.ts';
import { maturity } from './maturity.ts';
import { agentsOf, artifactsOf, type DraftTask, type PlanDraft, type PlanProblem } from './plan-draft.ts';
import { lintPattern } from './plan-lint.ts';

/** Returns contracts that nothing could hold up, and proofs and deliverables that no task could leave. */
export function lintExits({ waves, settings }: PlanDraft): readonly PlanProblem[] {
  return waves.flatMap(({ tasks, closure }) => {
    const hasDocs = (closure ?? settings.closure).docs !== undefined;
    return tasks.flatMap((task) => [
      ...lintArtifacts(task),
      ...lintSupport(task, settings, hasDocs),
      ...lintDeliverables(task),
      ...exitParts.flatMap((part) => lintMisspelt(task, part)),
    ]);
  });
}

/** A proof is one file, so that its hash is one hash. */
function lintArtifacts(task: DraftTask): readonly PlanProblem[] {
  return (task.keys.proofs ?? []).flatMap((proof, index): readonly PlanProblem[] => {
    if (typeof proof === 'string') return [];
    const place = [...task.place, 'proofs', index, 'path'];
    if (/[*?]|\/$/.test(proof.path)) return [{ rule: 'proof-pattern', task: task.id, path: proof.path, place }];
    return lintPattern(proof.path, place);
  });
}

function lintSupport(task: DraftTask, settings: ResolvedSettings, hasDocs: boolean): readonly PlanProblem[] {
  const artifacts = artifactsOf(task);
  const isScripted = agentsOf(task, settings).every((agent) => agent === 'scripted');
  return requiredLevels(task.keys.exit ?? {}).flatMap((required): readonly PlanProblem[] => {
    const { part, level, support } = required;
    const isDeclared = artifacts.some((proof) => provesLevel(proof, required));
    const lacks = {
      nothing: null,
      'snapshot-check': settings.checks.length === 0 ? 'check' : null,
      'candidate-check': settings.checks.length === 0 ? 'check' : null,
      bundle: isScripted ? 'agent' : null,
      artifact: isDeclared || (part === 'docs' && hasDocs) ? null : part === 'docs' ? 'docs' : 'proof',
    } as const;
    const missing = lacks[support];
    if (missing === null) return [];
    return [{ rule: 'exit-unsupported', task: task.id, part, level, missing, place: [...task.place, 'exit', part] }];
  });
}

/** The scope gate would refuse such a file, so the deliverable could never be made. */
function lintDeliverables({ id, keys, place }: DraftTask): readonly PlanProblem[] {
  const { owns } = keys;
  if (owns === undefined || owns === null) return [];
  const writable = [...owns, ...(keys.shares ?? []), ...(keys.locks ?? [])].flatMap(parsed);
  return (keys.deliverables ?? []).flatMap((text, index): readonly PlanProblem[] => {
    const isInside = parsed(text).every((one) => writable.some((other) => intersect(one, other) !== null));
    const at = [...place, 'deliverables', index];
    return isInside ? [] : [{ rule: 'deliverable-outside', task: id, pattern: text, place: at }];
  });
}

function parsed(text: string) {
  const found = parsePattern(text);
  return found.ok ? [found.value] : [];
}

/** A word that is nearly a level was meant as one: a contract that nobody judges would be a surprise. */
function lintMisspelt({ id, keys, place }: DraftTask, part: ExitPart): readonly PlanProblem[] {
  const word = keys.exit?.[part];
  const meant = word == null ? null : misspeltFor(part, word);
  if (word == null || meant === null) return [];
  return [{ rule: 'exit-misspelt', task: id, part, words: word, meant, place: [...place, 'exit', part] }];
}

function misspeltFor(part: ExitPart, word: string): string | null {
  const levels: readonly string[] = [...exitLevels[part], ...(part === 'completion' ? maturity : [])];
  return levels.includes(word) ? null : nearestWord(word, levels);
}

/** Warns about words that mean nothing, or something else than they say. */
export function lintExitWords({ waves, settings }: PlanDraft): readonly PlanProblem[] {
  return waves
    .flatMap(({ tasks }) => tasks)
    .flatMap((task) => [
      ...exitParts.flatMap((part) => lintExitWord(task, part, settings.matrix !== null)),
      ...freeWords(task),
    ]);
}

/** A level of maturity is read as a promotion where there is a matrix; elsewhere it only says how far a wave brings the work. */
function lintExitWord({ id, keys, place }: DraftTask, part: ExitPart, hasMatrix: boolean): readonly PlanProblem[] {
  const word = keys.exit?.[part];
  const levels: readonly string[] = exitLevels[part];
  if (word == null || levels.includes(word) || misspeltFor(part, word) !== null) return [];
  const at = [...place, 'exit', part];
  if (part !== 'completion' || !isMaturity(word))
    return [{ rule: 'exit-free-word', task: id, part, words: word, levels, place: at }];
  const { components = [] } = keys;
  return hasMatrix ? [{ rule: 'exit-promotes', task: id, level: word, components, place: at }] : [];
}

const isMaturity = (word: string | null | undefined): boolean => maturity.some((level) => level === word);

/** `components` names what a level of maturity in `exit.completion` is about. */
function freeWords({ id: task, keys, place }: DraftTask): readonly PlanProblem[] {
  const warn = (key: 'proofs' | 'components', words: readonly string[]): readonly PlanProblem[] =>
    words.length === 0 ? [] : [{ rule: 'free-words', task, key, words, place: [...place, key], at: 'key' }];
  return [
    ...warn(
      'proofs',
      (keys.proofs ?? []).filter((proof) => typeof proof === 'string'),
    ),
    ...warn(
      'components',
      isMaturity(keys.exit?.completion) || keys.promotes !== undefined ? [] : (keys.components ?? []),
    ),
  ];
}

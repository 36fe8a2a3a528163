import type { CommitId, TaskId, TreeId } from '../base/ids.ts';
import { present } from '../base/result.ts';
import type { Finding } from '../findings/finding.ts';
import type { GeneratorOutcome, RoundEntry } from '../gates/evidence.ts';
import { passes, type Verdict } from '../gates/verdict.ts';
import type { EarlierDefinitions } from '../landing/earlier-definitions.ts';
import type { RepairSubject } from '../ledger/derived-task-events.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { Maturity } from '../plan/maturity.ts';
import { isRatchet } from '../plan/plan.ts';
import type { RunState } from './run.ts';

/**
 * One integration of a wave's ready tasks: opened ─▶ built ─▶ closing ─▶ merging ─▶ merged, or abandoned when one of
 * its parts is out (a conflict, a culprit). With generated files built ─▶ generated ─▶ completed ─▶ closing.
 * Nothing moves before `merging`.
 */
export type RoundState = { readonly round: number; readonly base: CommitId; readonly tasks: readonly RoundEntry[] } & (
  | { readonly status: 'opened' }
  | ({ readonly status: 'built'; readonly conflicts: readonly Conflict[] } & Candidate)
  | ({ readonly status: 'generated'; readonly outcome: GeneratorOutcome } & Candidate)
  | ({ readonly status: 'completed' } & Candidate)
  | ({ readonly status: 'closing'; readonly closed: readonly Verdict[] } & Candidate)
  | ({ readonly status: 'merging'; readonly closed: readonly Verdict[] } & Candidate)
  | ({
      readonly status: 'merged';
      readonly closed: readonly Verdict[];
      readonly old: CommitId;
      readonly new: CommitId;
      readonly judged: boolean;
    } & Candidate)
  | { readonly status: 'abandoned'; readonly because: Finding; readonly suspects: number }
);

/** `tip` is what would become the run branch: the last step, or the commit on it that rebuilds generated files. */
type Candidate = {
  readonly steps: readonly RoundStep[];
  readonly tip: Tip | null;
  /** Absent when the definitions of the checks are unchanged. */
  readonly before?: EarlierDefinitions;
  /** The commit with the new levels of components, which closure roles build on; absent when there is none. */
  readonly promoted?: { readonly levels: Readonly<Record<string, Maturity>> } & Tip;
  /** Commits of closure roles, the last of them at the tip; absent when there are none. */
  readonly roles?: readonly RoleStep[];
  /** The tip without them; absent when there are none. */
  readonly core?: Tip;
};
/** The commit of a closure role, and the snapshot that it holds. */
type RoleStep = RoundStep & { readonly snapshot: CommitId };
export type Tip = { readonly commit: CommitId; readonly tree: TreeId };
/** There is a candidate, and the gates have not judged it yet. */
export type BuiltRound = Extract<RoundState, { readonly status: 'built' | 'generated' | 'completed' }>;

type Conflict = { readonly task: TaskId; readonly files: readonly string[]; readonly repair?: RepairSubject };
export type RoundStep = { readonly task: TaskId } & Tip;

export function evolveRound(state: RoundState, event: RunEvent): RoundState {
  const { round, base, tasks } = state;
  const same = { round, base, tasks };
  switch (event.type) {
    case 'candidate-built':
      return state.status === 'opened'
        ? { ...same, status: 'built', conflicts: event.conflicts, ...candidateOf(event.steps), ...kept(event) }
        : state;
    case 'generator-ended': {
      if (state.status !== 'built') return state;
      const { ending, snapshot, log, tail } = event;
      return { ...same, status: 'generated', ...candidate(state), outcome: { ending, snapshot, log, tail } };
    }
    case 'candidate-completed': {
      if (state.status !== 'generated') return state;
      const tip = { commit: event.commit, tree: event.tree };
      return { ...same, status: 'completed', steps: state.steps, tip, ...kept(event) };
    }
    case 'components-promoted': {
      if ((state.status !== 'built' && state.status !== 'completed') || state.roles !== undefined) return state;
      const { levels, commit, tree } = event;
      return { ...state, tip: { commit, tree }, promoted: { levels, commit, tree }, ...kept(event) };
    }
    case 'candidate-extended': {
      if ((state.status !== 'built' && state.status !== 'completed') || state.tip === null) return state;
      const { task, snapshot, commit, tree } = event;
      const roles = [...(state.roles ?? []), { task, snapshot, commit, tree }];
      return { ...state, tip: { commit, tree }, core: coreOf({ ...state, tip: state.tip }), roles };
    }
    case 'phase-judged':
      if (event.phase === 'closure' && (state.status === 'built' || state.status === 'completed'))
        return { ...same, status: 'closing', ...candidate(state), closed: event.verdicts };
      if (event.phase === 'merge' && state.status === 'merged') return { ...state, judged: passes(event.verdicts) };
      return state;
    case 'merge-intended':
      return state.status === 'closing' ? { ...state, status: 'merging' } : state;
    case 'merged':
      if (state.status !== 'merging') return state;
      return { ...state, status: 'merged', old: event.old, new: event.new, judged: false };
    case 'round-abandoned':
      return { ...same, status: 'abandoned', because: event.because, suspects: event.suspects ?? 0 };
    default:
      return state;
  }
}

const candidate = ({ steps, tip, before, promoted, roles, core }: Candidate): Candidate => ({
  steps,
  tip,
  ...kept({ before }),
  ...present({ promoted, roles, core }),
});
const kept = ({ before }: { readonly before?: EarlierDefinitions | undefined }): Pick<Candidate, 'before'> =>
  before === undefined ? {} : { before };

function candidateOf(steps: readonly RoundStep[]): Candidate {
  const last = steps.at(-1);
  return { steps, tip: last === undefined ? null : { commit: last.commit, tree: last.tree } };
}

/** The candidate without what closure roles added. */
export const coreOf = ({ core, tip }: { readonly core?: Tip; readonly tip: Tip }): Tip => core ?? tip;

/** The task whose gates judged the snapshot that a round takes for a task: a derived task, or itself. */
export const makerIn = (round: Pick<RoundState, 'tasks'>, task: TaskId): TaskId =>
  round.tasks.find((entry) => entry.task === task)?.by ?? task;

export const isRoundOpen = (state: RoundState | undefined): state is RoundState =>
  state !== undefined && state.status !== 'abandoned' && !(state.status === 'merged' && state.judged);

/**
 * Checks to run again when a person resumes: one that could not run says nothing of its tree, and one that a new plan brought may
 * be fixed in what it looks at beside the run branch.
 */
export const checksToRepeat = ({
  checks,
  branch,
  plan,
}: RunState): readonly { readonly tree: TreeId; readonly check: string }[] =>
  Object.values(checks)
    .filter(({ outcome, tree }) => outcome !== 'passed' && (outcome === 'could-not-run' || tree === branch?.tree))
    // what candidates are compared with stays what it is
    .filter(
      ({ outcome, name }) =>
        outcome === 'could-not-run' || !plan.checks.some((one) => one.name === name && isRatchet(one)),
    )
    .map(({ tree, name }) => ({ tree, check: name }));

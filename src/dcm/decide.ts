import { hash } from 'node:crypto';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { DcmRules } from '../domain/findings/dcm-rules.ts';
import type { FindingsOf } from '../domain/findings/finding.ts';
import { decisionVersions } from '../domain/gates/versions.ts';
import type {
  DcmAction,
  DcmEvent,
  DcmFact,
  DcmSubtaskStatus,
  JsonObject,
  NewDcmSubtask,
} from '../domain/ledger/dcm-events.ts';
import type { By } from '../domain/ledger/requests.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { secretIn } from '../domain/secrets/secret-shapes.ts';
import { policy } from '../domain/settings/policy.ts';
import { checkBlockers, openBlockers, resolveBlockers } from './blockers.ts';
import {
  countsOf,
  type DcmSession,
  type DcmSubtask,
  type DcmWave,
  dcmWaveOf,
  hasEnded,
  isSubtaskSettled,
  own,
  subtaskOf,
  subtasksOfBatch,
  subtasksOfWave,
  withFacts,
} from './session.ts';
import { resultsOf } from './synthesis.ts';

/** A command that changes a session. It holds the ids of new things, or they follow from it: a repetition adds nothing new. */
export type DcmCommand =
  | {
      readonly type: 'create-wave';
      readonly wave: number;
      readonly name: string | null;
      readonly description: string | null;
    }
  | { readonly type: 'start-wave'; readonly wave: number }
  /** Starts the wave after the one that completed last. */
  | { readonly type: 'transition' }
  | {
      readonly type: 'submit-batch';
      readonly batch: string;
      readonly wave: number;
      /** `blockedBy` may name a subtask of the session, or a `taskId` of this batch. */
      readonly subtasks: readonly NewDcmSubtask[];
    }
  | ({ readonly type: 'update-subtask'; readonly subtask: string } & DcmSubtaskChange)
  | { readonly type: 'complete-batch'; readonly batch: string; readonly failUnfinished: boolean }
  | ({ readonly type: 'record-action'; readonly action: string } & DcmAction);

export type DcmSubtaskChange = {
  readonly status?: DcmSubtaskStatus;
  readonly agentId?: string;
  readonly priority?: number;
  readonly blockedBy?: readonly string[];
  readonly result?: JsonObject;
  readonly context?: JsonObject;
};

type CommandOf<Type extends DcmCommand['type']> = DcmCommand & { readonly type: Type };

/** `key` is the Idempotency-Key. */
export type DcmRequest = { readonly command: DcmCommand; readonly key?: string; readonly by: By };
export type DcmDecision = Result<readonly DcmEvent[], DcmRefusal>;

/** Returns the events that follow from a request. None: the session is already as requested. */
export function decideDcm(state: DcmSession, { command, key, by }: DcmRequest): DcmDecision {
  const text = canonicalJson(command);
  const use = key === undefined ? null : keyUse(state, key, idFrom(text));
  const earlier = use === null ? undefined : state.keys.find((one) => one.key === key);
  if (earlier !== undefined) return use?.asked === earlier.asked ? ok([]) : err({ rule: 'session-key-reused' });
  const secret = secretIn(key === undefined ? text : `${key} ${text}`);
  if (secret !== null) return err({ rule: 'session-secret', kind: secret });
  const decision = factsOf(state, command, by);
  if (!decision.ok) return decision;
  const facts = [...decision.value, ...endings(state, decision.value), ...(use === null ? [] : [use])];
  return ok(facts.map((fact) => ({ ...fact, version: decisionVersions.session })));
}

/** Decides requests that arrived together: in order, each after the facts of those before it. */
export function decideTogether(state: DcmSession, requests: readonly DcmRequest[]): readonly DcmDecision[] {
  let now = state;
  return requests.map((request) => {
    const decision = decideDcm(now, request);
    if (decision.ok) now = withFacts(now, decision.value);
    return decision;
  });
}

/** The newest keys are remembered, and the oldest is forgotten when there are too many. */
function keyUse({ keys }: DcmSession, key: string, asked: string): DcmFact & { readonly type: 'external-key-used' } {
  const [oldest] = keys;
  const limit = policy.sessionKeys;
  const forgets = keys.length >= limit && oldest !== undefined ? { forgets: oldest.key, limit } : {};
  return { type: 'external-key-used', key, asked, ...forgets };
}

function factsOf(state: DcmSession, command: DcmCommand, by: By): DcmFacts {
  switch (command.type) {
    case 'create-wave':
      return createWave(state, command, by);
    case 'start-wave':
      return startWave(state, command.wave, by);
    case 'transition':
      return startNext(state, by);
    case 'submit-batch':
      return submitBatch(state, command, by);
    case 'update-subtask':
      return updateSubtask(state, command, by);
    case 'complete-batch':
      return completeBatch(state, command, by);
    case 'record-action': {
      const { type: _, ...report } = command;
      if (report.subtask !== null && subtaskOf(state, report.subtask) === undefined)
        return err({ rule: 'session-unknown-subtask', subtask: report.subtask });
      const isReading = report.files.length === 0 || readingTools.has(report.tool.toLowerCase());
      return ok([{ type: 'external-action-recorded', ...report, ...(isReading ? {} : { changes: true }), by }]);
    }
  }
}

/** Names that agents use for tools that change no file. */
const readingTools: ReadonlySet<string> = new Set(
  'read glob grep ls list search view notebookread read_file list_directory search_files'.split(' '),
);

function submitBatch(state: DcmSession, command: CommandOf<'submit-batch'>, by: By): DcmFacts {
  const { batch, wave: number } = command;
  if (own(state.batches, batch) !== undefined) return ok([]);
  const wave = dcmWaveOf(state, number);
  if (wave !== undefined && hasEnded(wave))
    return err({ rule: 'session-ended-wave', wave: number, status: wave.status, action: 'submit' });
  const created = createWave(state, { wave: number, name: null, description: null }, by);
  if (!created.ok) return created;
  const subtasks = resolveBlockers(state, number, command.subtasks);
  if (!subtasks.ok) return subtasks;
  return ok([
    ...created.value,
    { type: 'external-batch-submitted', batch, wave: number, subtasks: subtasks.value, by },
  ]);
}

function completeBatch(state: DcmSession, command: CommandOf<'complete-batch'>, by: By): DcmFacts {
  const batch = own(state.batches, command.batch);
  if (batch === undefined) return err({ rule: 'session-unknown-batch', batch: command.batch });
  if (batch.end !== null) return ok([]);
  const open = subtasksOfBatch(state, batch).filter((subtask) => !isSubtaskSettled(subtask));
  if (open.length > 0 && !command.failUnfinished)
    return err({ rule: 'session-unfinished-batch', open: open.map(statusOf) });
  const begun = open.length === 0 ? ok([]) : beginWave(state, batch.wave, by);
  if (!begun.ok) return begun;
  const failed = open.map(
    ({ id }) => ({ type: 'external-subtask-updated', subtask: id, status: 'failed', by }) as const,
  );
  const facts = [...begun.value, ...failed];
  const before = [...facts, ...endings(state, facts)];
  const results = resultsOf(withFacts(state, before), batch);
  return ok([...before, { type: 'external-batch-completed', batch: batch.id, ...results, by }]);
}

/** The statuses that may follow each status. `completed` and `failed` are final. */
const transitions: Readonly<Record<DcmSubtaskStatus, readonly DcmSubtaskStatus[]>> = {
  pending: ['running', 'paused', 'blocked', 'completed', 'failed'],
  running: ['paused', 'blocked', 'completed', 'failed'],
  paused: ['running', 'blocked', 'completed', 'failed'],
  blocked: ['pending', 'running', 'paused', 'completed', 'failed'],
  completed: [],
  failed: [],
};
const needsWave: ReadonlySet<DcmSubtaskStatus> = new Set(['running', 'completed', 'failed']);

/** Work on a subtask of a pending wave starts the wave, if no earlier wave is open. */
function updateSubtask(
  state: DcmSession,
  { type: _, subtask: id, ...requested }: CommandOf<'update-subtask'>,
  by: By,
): DcmFacts {
  const subtask = subtaskOf(state, id);
  if (subtask === undefined) return err({ rule: 'session-unknown-subtask', subtask: id });
  const change = differenceFrom(subtask, requested);
  if (Object.keys(change).length === 0) return ok([]);
  const { status } = subtask.progress;
  if (isSubtaskSettled(subtask)) return err({ rule: 'session-settled-subtask', status });
  if (change.status !== undefined && !transitions[status].includes(change.status))
    return err({ rule: 'session-bad-transition', from: status, to: change.status, allowed: transitions[status] });
  const next = { ...subtask, ...change };
  const refusal = change.blockedBy === undefined ? null : checkBlockers(state, next);
  if (refusal !== null) return err(refusal);
  const becomes = change.status ?? status;
  const blockers = becomes === 'running' || becomes === 'completed' ? openBlockers(state, next) : [];
  if (blockers.length > 0) return err({ rule: 'session-blocked', by: blockers.map(statusOf) });
  const begun = needsWave.has(becomes) ? beginWave(state, subtask.wave, by) : ok([]);
  if (!begun.ok) return begun;
  return ok([...begun.value, { type: 'external-subtask-updated', subtask: id, ...change, by }]);
}

/** Returns the requested fields that differ from the subtask. */
function differenceFrom(subtask: DcmSubtask, requested: DcmSubtaskChange): DcmSubtaskChange {
  const now: DcmSubtaskChange = { ...subtask, status: subtask.progress.status } as never;
  return Object.fromEntries(
    Object.entries(requested).filter(
      ([name, value]) =>
        value !== undefined && canonicalJson(value) !== canonicalJson(now[name as keyof DcmSubtaskChange]),
    ),
  );
}

/** A running wave ends, once, with the last of its subtasks. */
function endings(state: DcmSession, facts: readonly DcmFact[]): readonly DcmFact[] {
  if (!facts.some(settles)) return [];
  const next = withFacts(state, facts);
  const running = next.waves.filter(({ status }) => status === 'running');
  return running.flatMap(({ number }): readonly DcmFact[] => {
    if (next.subtasks.some((one) => one.wave === number && !isSubtaskSettled(one))) return [];
    const subtasks = subtasksOfWave(next, number);
    if (subtasks.length === 0) return [];
    const outcome = countsOf(subtasks).failed > 0 ? 'failed' : 'completed';
    return [{ type: 'external-wave-ended', wave: number, outcome }];
  });
}

const settles = (event: DcmFact): boolean =>
  event.type === 'external-subtask-updated' && (event.status === 'completed' || event.status === 'failed');

const statusOf = ({ id, progress }: DcmSubtask) => ({ subtask: id, status: progress.status });

export type DcmRefusal = FindingsOf<DcmRules>;
/** The facts that follow from a request. Empty: nothing changes. */
type DcmFacts = Result<readonly DcmFact[], DcmRefusal>;

type Naming = { readonly wave: number; readonly name: string | null; readonly description: string | null };

/** A number that exists is the same wave, and stays as it is. */
function createWave(state: DcmSession, { wave, name, description }: Naming, by: By): DcmFacts {
  if (dcmWaveOf(state, wave) !== undefined) return ok([]);
  const begun = state.waves.findLast(({ status }) => status !== 'pending');
  if (begun !== undefined && begun.number > wave) return err({ rule: 'session-late-wave', wave, begun: begun.number });
  const id = idFrom('wave', state.session, wave);
  return ok([{ type: 'external-wave-created', wave, id, name, description, by }]);
}

/**
 * Starting a running wave changes nothing, so a caller that missed the answer may repeat the request. A running wave without tasks
 * is completed when a later one is started by its number: nothing else would ever end it.
 */
function startWave(state: DcmSession, number: number, by: By): DcmFacts {
  const wave = dcmWaveOf(state, number);
  if (wave === undefined) return err({ rule: 'session-unknown-wave', wave: number });
  if (hasEnded(wave)) return err({ rule: 'session-ended-wave', wave: number, status: wave.status, action: 'start' });
  const left = state.waves
    .filter((one) => one.number < number && one.status === 'running' && isEmpty(state, one))
    .map((one): DcmFact => ({ type: 'external-wave-ended', wave: one.number, outcome: 'completed' }));
  const begun = beginWave(withFacts(state, left), number, by);
  return begun.ok ? ok([...left, ...begun.value]) : begun;
}

/** No wave overtakes another. A failed wave has ended: starting the next one by its number continues without it. */
function beginWave(state: DcmSession, number: number, by: By): DcmFacts {
  const wave = dcmWaveOf(state, number);
  if (wave === undefined || wave.status !== 'pending') return ok([]);
  const earlier = state.waves.find((one) => one.number < number && !hasEnded(one));
  if (earlier !== undefined) return err(unfinished(state, earlier, number));
  return ok([{ type: 'external-wave-started', wave: number, by }]);
}

/** Starts the wave after the one that completed last. It skips neither a failed nor a running wave, so it may be repeated. */
function startNext(state: DcmSession, by: By): DcmFacts {
  const last = state.waves.findLast(({ status }) => status !== 'pending');
  const next = state.waves.find(({ status }) => status === 'pending');
  if (last === undefined) return err(noNext(null, next));
  if (last.status === 'running') return err(unfinished(state, last, null));
  if (last.status === 'failed') return err(noNext(last, next));
  // no wave is left to start: the answer is the last one
  return next === undefined ? ok([]) : beginWave(state, next.number, by);
}

/** Returns an id in the form of a UUID (version 8). The same parts give the same id again. */
export function idFrom(...parts: readonly (string | number)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'hex');
  const variant = ((Number.parseInt(digest[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

const isEmpty = (state: DcmSession, { number }: DcmWave): boolean => subtasksOfWave(state, number).length === 0;

const noNext = (failed: DcmWave | null, next: DcmWave | undefined): DcmRefusal => ({
  rule: 'session-no-next-wave',
  failed: failed?.number ?? null,
  next: next?.number ?? null,
});

/** `next`: the wave that would overtake it. */
const unfinished = (state: DcmSession, wave: DcmWave, next: number | null): DcmRefusal => ({
  rule: 'session-unfinished-wave',
  wave: wave.number,
  status: wave.status,
  empty: isEmpty(state, wave),
  next,
});

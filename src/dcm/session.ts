import {
  type DcmBatchResult,
  type DcmFact,
  type DcmStageStatus,
  type DcmSubtaskStatus,
  isDcmEvent,
  type JsonObject,
  type NewDcmSubtask,
} from '../domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';

/** One DCM session, folded from its stream. Another program drives it: Tidegate records and judges it, but runs and merges nothing of it. */
export type DcmSession = {
  readonly session: string;
  /** Waves by their number. */
  readonly waves: readonly DcmWave[];
  readonly batches: Readonly<Record<string, DcmBatch>>;
  /** In the order of submission. A list, because it is copied with every change: copying a record of thousands takes milliseconds. */
  readonly subtasks: readonly DcmSubtask[];
  /** The index in `subtasks` of each id. */
  readonly places: ReadonlyMap<string, number>;
  readonly actions: number;
  /** The newest Idempotency-Keys, each with the hash of its request. */
  readonly keys: readonly { readonly key: string; readonly asked: string }[];
};

/** Times are the ledger's own, for people only: nothing is decided by them. */
export type DcmWave = {
  readonly number: number;
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
} & WaveProgress;
type WaveProgress =
  | { readonly status: 'pending' }
  | { readonly status: 'running'; readonly startedAt: string }
  | { readonly status: 'completed' | 'failed'; readonly startedAt: string; readonly completedAt: string };

export type DcmBatch = {
  readonly id: string;
  readonly wave: number;
  readonly subtasks: readonly string[];
  readonly createdAt: string;
  /** Null until the batch is completed. */
  readonly end: ({ readonly at: string } & DcmBatchResult) | null;
};

export type DcmSubtask = NewDcmSubtask & {
  readonly batch: string;
  readonly wave: number;
  readonly result: JsonObject | null;
  readonly createdAt: string;
  readonly actions: number;
  /** Files that its actions changed, each once. */
  readonly files: readonly string[];
  readonly progress: SubtaskProgress;
};
type SubtaskProgress =
  | { readonly status: 'pending' | 'blocked' | 'paused'; readonly startedAt: string | null }
  | { readonly status: 'running'; readonly startedAt: string }
  | { readonly status: 'completed' | 'failed'; readonly startedAt: string; readonly completedAt: string };

export type RecordedAt = { readonly at: string; readonly event: LedgerEvent };

export const newDcmSession = (session: string): DcmSession => ({
  session,
  waves: [],
  batches: {},
  subtasks: [],
  places: new Map(),
  actions: 0,
  keys: [],
});

export const foldDcmSession = (session: string, events: readonly RecordedAt[]): DcmSession =>
  events.reduce(evolveDcmSession, newDcmSession(session));

/** Total: an event in the ledger is a fact and is never refused. */
export const evolveDcmSession = (state: DcmSession, { at, event }: RecordedAt): DcmSession =>
  isDcmEvent(event) ? evolveFact(state, event, at) : state;

/** Returns the session after facts that are not recorded yet. They have no time, and nothing is decided by times. */
export const withFacts = (state: DcmSession, facts: readonly DcmFact[]): DcmSession =>
  facts.reduce((next, event) => evolveFact(next, event, ''), state);

function evolveFact(state: DcmSession, event: DcmFact, at: string): DcmSession {
  switch (event.type) {
    case 'external-wave-created': {
      const { wave: number, id, name, description } = event;
      const wave: DcmWave = { number, id, name, description, status: 'pending' };
      return { ...state, waves: [...state.waves, wave].toSorted((a, b) => a.number - b.number) };
    }
    case 'external-wave-started':
      return withWave(state, event.wave, (wave) => ({ ...wave, status: 'running', startedAt: at }));
    case 'external-wave-ended':
      return withWave(state, event.wave, (wave) => ({
        ...wave,
        status: event.outcome,
        startedAt: 'startedAt' in wave ? wave.startedAt : at,
        completedAt: at,
      }));
    case 'external-batch-submitted': {
      const { batch, wave } = event;
      const added = event.subtasks.map(
        (subtask): DcmSubtask => ({
          ...subtask,
          batch,
          wave,
          result: null,
          createdAt: at,
          actions: 0,
          files: [],
          progress: { status: 'pending', startedAt: null },
        }),
      );
      const ids = added.map(({ id }) => id);
      const entry: DcmBatch = { id: batch, wave, subtasks: ids, createdAt: at, end: null };
      return {
        ...state,
        batches: { ...state.batches, [batch]: entry },
        subtasks: [...state.subtasks, ...added],
        places: new Map([...state.places, ...ids.map((id, place) => [id, state.subtasks.length + place] as const)]),
      };
    }
    case 'external-subtask-updated': {
      const { type: _, subtask: id, status, by: __, ...changed } = event;
      // the version belongs to the rules, not to the subtask
      const { version: ___, ...changes } = { version: 0, ...changed };
      return withSubtask(state, id, (subtask) => ({
        ...subtask,
        ...changes,
        progress: status === undefined ? subtask.progress : progressTo(state, subtask, status, at),
      }));
    }
    case 'external-action-recorded': {
      const counted = { ...state, actions: state.actions + 1 };
      return event.subtask === null
        ? counted
        : withSubtask(counted, event.subtask, (subtask) => ({
            ...subtask,
            actions: subtask.actions + 1,
            files: event.changes === true ? withFiles(subtask.files, event.files) : subtask.files,
          }));
    }
    case 'external-batch-completed': {
      const batch = own(state.batches, event.batch);
      if (batch === undefined) return state;
      const { files, conflicts, nextWaveReady } = event;
      const end = { at, files, conflicts, nextWaveReady };
      return { ...state, batches: { ...state.batches, [batch.id]: { ...batch, end } } };
    }
    case 'external-key-used': {
      const { key, asked, forgets } = event;
      return { ...state, keys: [...state.keys.filter((one) => one.key !== forgets), { key, asked }] };
    }
  }
}

/** Most actions name files that are in the list already. Then nothing is copied. */
function withFiles(files: readonly string[], more: readonly string[]): readonly string[] {
  const added = new Set(more.filter((file) => !files.includes(file)));
  return added.size === 0 ? files : [...files, ...added];
}

/** A subtask that was settled without ever running counts from when it could have started. */
function progressTo(state: DcmSession, subtask: DcmSubtask, status: DcmSubtaskStatus, at: string): SubtaskProgress {
  const { startedAt } = subtask.progress;
  switch (status) {
    case 'pending':
    case 'blocked':
    case 'paused':
      return { status, startedAt };
    case 'running':
      return { status, startedAt: startedAt ?? at };
    case 'completed':
    case 'failed':
      return { status, startedAt: startedAt ?? couldBegin(state, subtask), completedAt: at };
  }
}

function couldBegin({ waves }: DcmSession, { wave: number, createdAt }: DcmSubtask): string {
  const wave = waves.find((one) => one.number === number);
  return wave !== undefined && 'startedAt' in wave && wave.startedAt > createdAt ? wave.startedAt : createdAt;
}

/** Looks up an id that a caller sent: `toString` and the like are not ids. */
export const own = <T>(record: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;

const withWave = (state: DcmSession, number: number, change: (wave: DcmWave) => DcmWave): DcmSession => ({
  ...state,
  waves: state.waves.map((wave) => (wave.number === number ? change(wave) : wave)),
});

export const subtaskOf = ({ subtasks, places }: DcmSession, id: string): DcmSubtask | undefined =>
  subtasks[places.get(id) ?? -1];

function withSubtask(state: DcmSession, id: string, change: (subtask: DcmSubtask) => DcmSubtask): DcmSession {
  const place = state.places.get(id);
  const subtask = place === undefined ? undefined : state.subtasks[place];
  return place === undefined || subtask === undefined
    ? state
    : { ...state, subtasks: state.subtasks.with(place, change(subtask)) };
}

export const dcmWaveOf = ({ waves }: DcmSession, number: number): DcmWave | undefined =>
  waves.find((wave) => wave.number === number);

export const subtasksOfWave = (state: DcmSession, wave: number): readonly DcmSubtask[] =>
  state.subtasks.filter((subtask) => subtask.wave === wave);

export const subtasksOfBatch = (state: DcmSession, { subtasks }: DcmBatch): readonly DcmSubtask[] =>
  subtasks.flatMap((id) => subtaskOf(state, id) ?? []);

/** Counted on every call and never kept: counters cannot differ from the subtasks. */
export const countsOf = (subtasks: readonly DcmSubtask[]) => ({
  total: subtasks.length,
  completed: subtasks.filter(({ progress }) => progress.status === 'completed').length,
  failed: subtasks.filter(({ progress }) => progress.status === 'failed').length,
});

export const isSubtaskSettled = ({ progress }: DcmSubtask): boolean =>
  progress.status === 'completed' || progress.status === 'failed';

export const hasEnded = ({ status }: DcmWave): boolean => status === 'completed' || status === 'failed';

/** A completed batch with failed subtasks has failed. */
export function batchStatus(state: DcmSession, batch: DcmBatch): DcmStageStatus {
  const subtasks = subtasksOfBatch(state, batch);
  if (batch.end !== null) return countsOf(subtasks).failed > 0 ? 'failed' : 'completed';
  return subtasks.some(({ progress }) => progress.startedAt !== null) ? 'running' : 'pending';
}

/** The running wave, else the highest pending one. */
export const currentDcmWave = ({ waves }: DcmSession): DcmWave | undefined =>
  waves.find(({ status }) => status === 'running') ?? waves.findLast(({ status }) => status === 'pending');

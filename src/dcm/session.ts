import type { JsonObject, NewSubtask, SubtaskStatus } from '../domain/ledger/dcm-commands.ts';
import { type BatchResult, type ExternalFact, isExternalEvent } from '../domain/ledger/dcm-events.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';

/** One session that others drive, as its stream says it is. Recorded and judged; nothing of it is run or merged by us. */
export type Session = {
  readonly session: string;
  /** By number. */
  readonly waves: readonly Wave[];
  readonly batches: Readonly<Record<string, Batch>>;
  /** As they were submitted. A list, because it is copied with every change: a record of thousands would take milliseconds. */
  readonly subtasks: readonly Subtask[];
  /** Where in the list each of them is, by its id. */
  readonly places: ReadonlyMap<string, number>;
  readonly actions: number;
  /** The newest keys that were given, and what was asked under each. */
  readonly keys: readonly { readonly key: string; readonly asked: string }[];
};

/** Times are the ledger's own, for people only: nothing is decided by them. */
export type Wave = {
  readonly number: number;
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
} & WaveProgress;
type WaveProgress =
  | { readonly status: 'pending' }
  | { readonly status: 'running'; readonly startedAt: string }
  | { readonly status: 'completed' | 'failed'; readonly startedAt: string; readonly completedAt: string };

export type Batch = {
  readonly id: string;
  readonly wave: number;
  readonly subtasks: readonly string[];
  readonly createdAt: string;
  /** Null until it was completed. */
  readonly end: ({ readonly at: string } & BatchResult) | null;
};

export type Subtask = NewSubtask & {
  readonly batch: string;
  readonly wave: number;
  readonly result: JsonObject | null;
  readonly createdAt: string;
  readonly actions: number;
  /** What its actions changed, each once. */
  readonly files: readonly string[];
  readonly progress: SubtaskProgress;
};
type SubtaskProgress =
  | { readonly status: 'pending' | 'blocked' | 'paused'; readonly startedAt: string | null }
  | { readonly status: 'running'; readonly startedAt: string }
  | { readonly status: 'completed' | 'failed'; readonly startedAt: string; readonly completedAt: string };

export type RecordedAt = { readonly at: string; readonly event: LedgerEvent };

export const newSession = (session: string): Session => ({
  session,
  waves: [],
  batches: {},
  subtasks: [],
  places: new Map(),
  actions: 0,
  keys: [],
});

export const foldSession = (session: string, events: readonly RecordedAt[]): Session =>
  events.reduce(evolveSession, newSession(session));

/** What did happen. Total: an event in the ledger is a fact and is never refused. */
export const evolveSession = (state: Session, { at, event }: RecordedAt): Session =>
  isExternalEvent(event) ? evolveFact(state, event, at) : state;

/** The facts that a decision would lead to. When they happen is not known yet, and decides nothing. */
export const withFacts = (state: Session, facts: readonly ExternalFact[]): Session =>
  facts.reduce((next, event) => evolveFact(next, event, ''), state);

function evolveFact(state: Session, event: ExternalFact, at: string): Session {
  switch (event.type) {
    case 'external-wave-created': {
      const { wave: number, id, name, description } = event;
      const wave: Wave = { number, id, name, description, status: 'pending' };
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
      const made = event.subtasks.map(
        (subtask): Subtask => ({
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
      const ids = made.map(({ id }) => id);
      const entry: Batch = { id: batch, wave, subtasks: ids, createdAt: at, end: null };
      return {
        ...state,
        batches: { ...state.batches, [batch]: entry },
        subtasks: [...state.subtasks, ...made],
        places: new Map([...state.places, ...ids.map((id, place) => [id, state.subtasks.length + place] as const)]),
      };
    }
    case 'external-subtask-updated': {
      const { type: _, subtask: id, status, by: __, ...changed } = event;
      // the version is of the rules that decided it, and nothing of the subtask
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

/** Most actions name what was named before, and then nothing is copied. */
function withFiles(files: readonly string[], more: readonly string[]): readonly string[] {
  const added = new Set(more.filter((file) => !files.includes(file)));
  return added.size === 0 ? files : [...files, ...added];
}

/** One that was settled without ever being reported as running counts from when it could have begun. */
function progressTo(state: Session, subtask: Subtask, status: SubtaskStatus, at: string): SubtaskProgress {
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

function couldBegin({ waves }: Session, { wave: number, createdAt }: Subtask): string {
  const wave = waves.find((one) => one.number === number);
  return wave !== undefined && 'startedAt' in wave && wave.startedAt > createdAt ? wave.startedAt : createdAt;
}

/** Ids come from callers: what every object has by itself is not one of them. */
export const own = <T>(record: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;

const withWave = (state: Session, number: number, change: (wave: Wave) => Wave): Session => ({
  ...state,
  waves: state.waves.map((wave) => (wave.number === number ? change(wave) : wave)),
});

/** As a refusal names it. */
export const standingOf = ({
  id,
  progress,
}: Subtask): { readonly subtask: string; readonly status: SubtaskStatus } => ({
  subtask: id,
  status: progress.status,
});

export const subtaskOf = ({ subtasks, places }: Session, id: string): Subtask | undefined =>
  subtasks[places.get(id) ?? -1];

function withSubtask(state: Session, id: string, change: (subtask: Subtask) => Subtask): Session {
  const place = state.places.get(id);
  const subtask = place === undefined ? undefined : state.subtasks[place];
  return place === undefined || subtask === undefined
    ? state
    : { ...state, subtasks: state.subtasks.with(place, change(subtask)) };
}

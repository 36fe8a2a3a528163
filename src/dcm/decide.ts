import { err, ok, type Result } from '../domain/base/result.ts';
import { decisionVersions } from '../domain/gates/versions.ts';
import type { ExternalCommand } from '../domain/ledger/dcm-commands.ts';
import type { ExternalEvent, ExternalFact } from '../domain/ledger/dcm-events.ts';
import type { By } from '../domain/ledger/requests.ts';
import { canonicalJson } from '../domain/plan/plan.ts';
import { secretIn } from '../domain/secrets/secret-shapes.ts';
import { policy } from '../domain/settings/policy.ts';
import { resolveBlockers } from './blockers.ts';
import { countsOf, hasEnded, isSubtaskSettled, subtasksOfBatch, subtasksOfWave } from './counts.ts';
import { idFrom } from './ids.ts';
import type { Refusal } from './refusal.ts';
import { own, type Session, standingOf, subtaskOf, withFacts } from './session.ts';
import { resultsOf } from './synthesis.ts';
import { updateSubtask } from './update-subtask.ts';
import { beginWave, createWave, ensureWave, startNext, startWave } from './waves.ts';

export type Asked = { readonly command: ExternalCommand; readonly key?: string; readonly by: By };
export type Decided = Result<readonly ExternalEvent[], Refusal>;
/** Before the version of the rules is put to it. */
export type DecidedFacts = Result<readonly ExternalFact[], Refusal>;

/** What would happen. No events: what was asked for has happened already. */
export function decideExternal(state: Session, { command, key, by }: Asked): Decided {
  const asked = canonicalJson(command);
  const keyed = key === undefined ? [] : [keyUsed(state, key, idFrom(asked))];
  const before = keyed.length === 0 ? undefined : state.keys.find((one) => one.key === key);
  if (before !== undefined)
    return keyed.some((one) => one.asked === before.asked) ? ok([]) : err({ rule: 'session-key-reused' });
  const secret = secretIn(key === undefined ? asked : `${key} ${asked}`);
  if (secret !== null) return err({ rule: 'session-secret', kind: secret });
  const decided = decide(state, command, by);
  if (!decided.ok) return decided;
  const facts = [...decided.value, ...endings(state, decided.value), ...keyed];
  return ok(facts.map((fact) => ({ ...fact, version: decisionVersions.session })));
}

/** A key is remembered for as long as there is room for it. */
function keyUsed({ keys }: Session, key: string, asked: string): ExternalFact & { readonly type: 'external-key-used' } {
  const [oldest] = keys;
  const limit = policy.sessionKeys;
  const forgets = keys.length >= limit && oldest !== undefined ? { forgets: oldest.key, limit } : {};
  return { type: 'external-key-used', key, asked, ...forgets };
}

/** What is asked at once: in order, each in the light of those before it. */
export function decideTogether(state: Session, all: readonly Asked[]): readonly Decided[] {
  let now = state;
  return all.map((asked) => {
    const decided = decideExternal(now, asked);
    if (decided.ok) now = withFacts(now, decided.value);
    return decided;
  });
}

function decide(state: Session, command: ExternalCommand, by: By): DecidedFacts {
  switch (command.type) {
    case 'create-wave':
      return createWave(state, command, by);
    case 'start-wave':
      return startWave(state, command.wave, by);
    case 'transition':
      return startNext(state, by);
    case 'submit-batch':
      return submit(state, command, by);
    case 'update-subtask':
      return updateSubtask(state, command, by);
    case 'complete-batch':
      return complete(state, command, by);
    case 'record-action': {
      const { type: _, ...report } = command;
      if (report.subtask !== null && subtaskOf(state, report.subtask) === undefined)
        return err({ rule: 'session-unknown-subtask', subtask: report.subtask });
      const isReading = report.files.length === 0 || readingTools.has(report.tool.toLowerCase());
      return ok([{ type: 'external-action-recorded', ...report, ...(isReading ? {} : { changes: true }), by }]);
    }
  }
}

/** Tools that change no file, as agents call them. */
const readingTools: ReadonlySet<string> = new Set(
  'read glob grep ls list search view notebookread read_file list_directory search_files'.split(' '),
);

/** A wave ends by itself, once, with the last of its subtasks. */
function endings(state: Session, facts: readonly ExternalFact[]): readonly ExternalFact[] {
  if (!facts.some(settles)) return [];
  const next = withFacts(state, facts);
  const running = next.waves.filter(({ status }) => status === 'running');
  return running.flatMap(({ number }): readonly ExternalFact[] => {
    if (next.subtasks.some((one) => one.wave === number && !isSubtaskSettled(one))) return [];
    const subtasks = subtasksOfWave(next, number);
    if (subtasks.length === 0) return [];
    const outcome = countsOf(subtasks).failed > 0 ? 'failed' : 'completed';
    return [{ type: 'external-wave-ended', wave: number, outcome }];
  });
}

const settles = (event: ExternalFact): boolean =>
  event.type === 'external-subtask-updated' && (event.status === 'completed' || event.status === 'failed');

function submit(state: Session, command: ExternalCommand & { readonly type: 'submit-batch' }, by: By): DecidedFacts {
  const { batch, wave: number } = command;
  if (own(state.batches, batch) !== undefined) return ok([]);
  const wave = state.waves.find((one) => one.number === number);
  if (wave !== undefined && hasEnded(wave))
    return err({ rule: 'session-ended-wave', wave: number, status: wave.status, action: 'submit' });
  const made = ensureWave(state, number, by);
  if (!made.ok) return made;
  const subtasks = resolveBlockers(state, number, command.subtasks);
  if (!subtasks.ok) return subtasks;
  return ok([...made.value, { type: 'external-batch-submitted', batch, wave: number, subtasks: subtasks.value, by }]);
}

function complete(
  state: Session,
  command: ExternalCommand & { readonly type: 'complete-batch' },
  by: By,
): DecidedFacts {
  const batch = own(state.batches, command.batch);
  if (batch === undefined) return err({ rule: 'session-unknown-batch', batch: command.batch });
  if (batch.end !== null) return ok([]);
  const open = subtasksOfBatch(state, batch).filter((subtask) => !isSubtaskSettled(subtask));
  if (open.length > 0 && !command.failUnfinished)
    return err({ rule: 'session-unfinished-batch', open: open.map(standingOf) });
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

import type { Earlier } from '../../domain/ledger/replayed.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import { replayRun } from '../../engine/replay.ts';
import { replaySessions } from '../../engine/replay-sessions.ts';
import { externalStream, isExternalStream } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { endText } from '../../view/run-view.ts';
import { sessionLine } from '../../view/session-line.ts';
import { done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import { subjectOf } from '../frame/subject.ts';

/** `tidegate replay [run]`: folds a run again from its first event and judges all of its evidence again. */
export async function judgeAgain(
  { run: given }: { readonly run: string | undefined },
  repo: RepositoryHandle,
): Promise<Outcome> {
  if (given !== undefined && isExternalStream(given)) return await replayDriven(repo, given);
  const found = await subjectOf(repo, 'replay', given, 'newest');
  if (!found.ok) return found.error;
  const { run, stored } = found.value;
  const { judged, differences, earlier, state } = replayRun(stored);
  const standing = state === null ? 'ordered only' : (endText(state) ?? 'open');
  const data = { run, events: stored.length, judged, differences, earlier, state };
  if (differences.length > 0)
    return differs(
      differences.map((one) => ({ run, ...one })),
      data,
    );
  const told = `${run}: ${stored.length} events, ${judged} judgements, ${sameAgain(earlier)}. ${standing}`;
  return done([told, ...earlierLines(earlier)], data);
}

/** A session that others drive: every fact is decided again. */
async function replayDriven(repo: RepositoryHandle, run: string): Promise<Outcome> {
  const found = (await replaySessions(repo.ledger)).find(({ session }) => externalStream(session.session) === run);
  if (found === undefined) return misused('unknown-run', `replay: no session ${run}; see tidegate status --all`);
  const { decided, differences, earlier, session } = found;
  const { places: _, ...shown } = session;
  const data = { run, decided, differences, earlier, session: shown };
  if (differences.length > 0)
    return differs(
      differences.map((one) => ({ run, ...one })),
      data,
    );
  const told = `${run}: ${decided} facts, all decided the same again. ${sessionLine(session)}`;
  return done([told, ...earlierLines(earlier)], data);
}

/** `tidegate verify`: walks the hash chain of the whole ledger, then replays every run. */
export async function verifyRuns(_input: object, repo: RepositoryHandle): Promise<Outcome> {
  const chain = await repo.ledger.verify();
  if (!chain.ok) {
    const where = chain.seq === null ? '' : `event ${chain.seq}: `;
    return {
      exit: exitCodes.failed,
      reason: 'ledger-damaged',
      problems: [`tidegate: the ledger is damaged: ${where}${chain.problem}`],
      data: { chain },
    };
  }
  const runs = await knownRuns(repo.ledger);
  const sessions = await replaySessions(repo.ledger);
  const replayed = [
    ...runs.map(({ run, stored }) => ({ run: String(run), ...replayRun(stored) })),
    ...sessions.map((one) => ({ ...one, run: externalStream(one.session.session) })),
  ];
  const differences = replayed.flatMap(({ run, differences: own }) => own.map((found) => ({ run, ...found })));
  const earlier = replayed.flatMap(({ run, earlier: own }) => own.map((found) => ({ run, ...found })));
  const data = { chain, runs: runs.length, sessions: sessions.length, differences, earlier };
  if (differences.length > 0) return differs(differences, data);
  const driven =
    sessions.length === 0 ? '' : `, ${sessions.length} session${sessions.length === 1 ? '' : 's'} of others`;
  const what = `${chain.events} event${chain.events === 1 ? '' : 's'}, ${runs.length} run${runs.length === 1 ? '' : 's'}${driven}`;
  return done([`Sound: ${what}; head ${chain.head.slice(0, 12)}`, ...earlierLines(earlier)], data);
}

const sameAgain = (earlier: readonly Earlier[]): string =>
  earlier.length === 0 ? 'all the same again' : "all of today's rules the same again";

/** Nothing is wrong with them: the rules have changed since. */
function earlierLines(earlier: readonly Earlier[]): readonly Text[] {
  const counts = Map.groupBy(earlier, ({ rules, version }) => `${rules} version ${version}`);
  if (counts.size === 0) return [];
  const listed = [...counts].map(([rules, all]) => `${all.length} by ${rules}`).join(', ');
  return [`Decided by earlier rules, and kept as recorded: ${listed}`];
}

function differs(
  differences: readonly { readonly run: string; readonly seq: number; readonly detail: string }[],
  data: Readonly<Record<string, unknown>>,
): Outcome {
  const problems = differences.map(({ run, seq, detail }): Text => `tidegate: ${run}: event ${seq}: ${detail}`);
  return { exit: exitCodes.failed, reason: 'replay-differs', problems, data };
}

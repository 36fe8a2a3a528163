import { knownRuns } from '../engine/find-run.ts';
import { replayRun } from '../engine/replay.ts';
import { replaySessions } from '../engine/replay-sessions.ts';
import type { Desk } from '../ports/desk.ts';
import { externalStream, isExternalStream } from '../ports/ledger.ts';
import type { Text } from '../ports/terminal.ts';
import { endText } from '../view/run-view.ts';
import { sessionLine } from '../view/session-line.ts';
import { done, exitCodes, misused, type Outcome } from './command.ts';
import { subjectOf } from './subject.ts';

/** `tidegate replay [run]`: folds a run again from its first event and judges all of its evidence again. */
export async function judgeAgain({ run: given }: { readonly run: string | undefined }, desk: Desk): Promise<Outcome> {
  if (given !== undefined && isExternalStream(given)) return await replayDriven(desk, given);
  const found = await subjectOf(desk, 'replay', given, 'newest');
  if (!found.ok) return found.error;
  const { run, stored } = found.value;
  const { judged, differences, state } = replayRun(stored);
  const standing = state === null ? 'ordered only' : (endText(state) ?? 'open');
  const data = { run, events: stored.length, judged, differences, state };
  if (differences.length > 0)
    return differs(
      differences.map((one) => ({ run, ...one })),
      data,
    );
  return done([`${run}: ${stored.length} events, ${judged} judgements, all the same again. ${standing}`], data);
}

/** A session that others drive: every fact is decided again. */
async function replayDriven(desk: Desk, run: string): Promise<Outcome> {
  const found = (await replaySessions(desk.ledger)).find(({ session }) => externalStream(session.session) === run);
  if (found === undefined) return misused('unknown-run', `replay: no session ${run}; see tidegate status --all`);
  const { decided, differences, session } = found;
  const { places: _, ...shown } = session;
  const data = { run, decided, differences, session: shown };
  if (differences.length > 0)
    return differs(
      differences.map((one) => ({ run, ...one })),
      data,
    );
  return done([`${run}: ${decided} facts, all decided the same again. ${sessionLine(session)}`], data);
}

/** `tidegate verify`: walks the hash chain of the whole ledger, then replays every run. */
export async function verifyLedger(_input: object, desk: Desk): Promise<Outcome> {
  const chain = await desk.ledger.verify();
  if (!chain.ok) {
    const where = chain.seq === null ? '' : `event ${chain.seq}: `;
    return {
      exit: exitCodes.failed,
      reason: 'ledger-damaged',
      problems: [`tidegate: the ledger is damaged: ${where}${chain.problem}`],
      data: { chain },
    };
  }
  const runs = await knownRuns(desk.ledger);
  const sessions = await replaySessions(desk.ledger);
  const differences = [
    ...runs.flatMap(({ run, stored }) => replayRun(stored).differences.map((found) => ({ run, ...found }))),
    ...sessions.flatMap(({ session, differences: own }) =>
      own.map((found) => ({ run: externalStream(session.session), ...found })),
    ),
  ];
  const data = { chain, runs: runs.length, sessions: sessions.length, differences };
  if (differences.length > 0) return differs(differences, data);
  const driven =
    sessions.length === 0 ? '' : `, ${sessions.length} session${sessions.length === 1 ? '' : 's'} of others`;
  const what = `${chain.events} events, ${runs.length} run${runs.length === 1 ? '' : 's'}${driven}`;
  return done([`Sound: ${what}; head ${chain.head.slice(0, 12)}`], data);
}

function differs(
  differences: readonly { readonly run: string; readonly seq: number; readonly detail: string }[],
  data: Readonly<Record<string, unknown>>,
): Outcome {
  const problems = differences.map(({ run, seq, detail }): Text => `tidegate: ${run}: event ${seq}: ${detail}`);
  return { exit: exitCodes.failed, reason: 'replay-differs', problems, data };
}

import { dcmSessionLine, replayDcmSessions } from '../../../dcm/replay.ts';
import { endText } from '../../../domain/explain/ending.ts';
import { describeWithFix, explain } from '../../../domain/explain/explain.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import type { Earlier } from '../../../domain/ledger/replayed.ts';
import { keptFiles } from '../../../domain/proofs/kept-files.ts';
import { knownRuns } from '../../../engine/orders/find-run.ts';
import { replayRun } from '../../../engine/replay.ts';
import { dcmStream, isDcmStream } from '../../../ports/ledger.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { aRun, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import { resolveSubject } from '../../frame/subject.ts';

export const replayCommand = command({
  name: 'replay',
  group: 'keep',
  summary: 'judge the evidence of a run again and compare the verdicts',
  arguments: {
    run: { ...aRun, about: 'a run, or external:<session> (default: the live or newest run)' },
  },
  looks: async ({ run: typed }, repo) => {
    if (typed !== undefined && isDcmStream(typed)) return await replaySession(repo, typed);
    const subject = await resolveSubject(repo, 'replay', typed, 'newest');
    if (!subject.ok) return subject.error;
    const { run, stored } = subject.value;
    const { judged, differences, earlier, state } = replayRun(stored);
    const standing = state === null ? 'not started yet' : (endText(state) ?? 'open');
    const data = { run, events: stored.length, judged, differences, earlier, state };
    if (differences.length > 0) return differenceOutcome(ofRun(run, differences), data);
    const line = `${run}: ${stored.length} events, ${judged} judgements, ${sameAgain(earlier)}. ${standing}`;
    return done([line, ...earlierLines(earlier)], data);
  },
});

export const verifyCommand = command({
  name: 'verify',
  group: 'keep',
  summary: 'verify the ledger and the files of proofs, and replay every run',
  looks: async (_input, repo) => {
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
    const sessions = await replayDcmSessions(repo.ledger);
    const replays = [
      ...runs.map(({ run, stored }) => ({ run: String(run), ...replayRun(stored) })),
      ...sessions.map((one) => ({ ...one, run: dcmStream(one.session.session) })),
    ];
    const differences = replays.flatMap((one) => ofRun(one.run, one.differences));
    const earlier = replays.flatMap((one) => ofRun(one.run, one.earlier));
    const damaged = (await Promise.all(runs.map((one) => damagedOf(repo, one)))).flat();
    const proofs = damaged.length === 0 ? {} : { proofs: ofFindings(damaged) };
    const data = { chain, runs: runs.length, sessions: sessions.length, differences, earlier, ...proofs };
    if (differences.length > 0) return differenceOutcome(differences, data);
    if (damaged.length > 0)
      return {
        exit: exitCodes.failed,
        reason: 'proof-damaged',
        problems: damaged.map(({ run, finding }) => `tidegate: ${run}: ${describeWithFix(finding)}`),
        data,
      };
    const others = sessions.length === 0 ? [] : [`${counted(sessions.length, 'session')} of other programs`];
    const what = [counted(chain.events, 'event'), counted(runs.length, 'run'), ...others].join(', ');
    return done([`Sound: ${what}; head ${chain.head.slice(0, 12)}`, ...earlierLines(earlier)], data);
  },
});

/** Compares the files that proofs of a run rest on with their hashes in the ledger. */
async function damagedOf(
  repo: RepositoryHandle,
  { run, stored, state }: Awaited<ReturnType<typeof knownRuns>>[number],
) {
  const found = await repo.damagedProofs(run, keptFiles(stored), state !== null && state.ended !== null);
  return found.map((finding) => ({ run, finding }));
}

const ofFindings = (damaged: readonly { readonly run: string; readonly finding: Finding }[]) =>
  damaged.map(({ run, finding }) => ({ run, ...explain(finding) }));

const ofRun = <T extends object>(run: string, items: readonly T[]) => items.map((one) => ({ run, ...one }));
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Decides every fact of a session again that another program drives. */
async function replaySession(repo: RepositoryHandle, run: string): Promise<Outcome> {
  const replayed = (await replayDcmSessions(repo.ledger)).find(({ session }) => dcmStream(session.session) === run);
  if (replayed === undefined)
    return usageError('unknown-run', `replay: there is no session ${run}; see tidegate status --all`);
  const { decided, differences, earlier, session } = replayed;
  const { places: _, ...shown } = session;
  const data = { run, decided, differences, earlier, session: shown };
  if (differences.length > 0) return differenceOutcome(ofRun(run, differences), data);
  const line = `${run}: ${decided} facts, all decided the same again. ${dcmSessionLine(session)}`;
  return done([line, ...earlierLines(earlier)], data);
}

const sameAgain = (earlier: readonly Earlier[]): string =>
  earlier.length === 0 ? 'all the same again' : 'all of the current rules the same again';

/** Lists decisions of earlier rules. They are not wrong: the rules have changed since. */
function earlierLines(earlier: readonly Earlier[]): readonly Text[] {
  const counts = Map.groupBy(earlier, ({ rules, version }) => `${rules} version ${version}`);
  if (counts.size === 0) return [];
  const listed = [...counts].map(([rules, all]) => `${all.length} by ${rules}`).join(', ');
  return [`Decided by earlier rules and left as recorded: ${listed}`];
}

function differenceOutcome(
  differences: readonly { readonly run: string; readonly seq: number; readonly detail: string }[],
  data: Readonly<Record<string, unknown>>,
): Outcome {
  const problems = differences.map(({ run, seq, detail }): Text => `tidegate: ${run}: event ${seq}: ${detail}`);
  return { exit: exitCodes.failed, reason: 'replay-differs', problems, data };
}

import { dcmSessionLine, replayDcmSessions } from '../../../dcm/replay.ts';
import type { DcmSession } from '../../../dcm/session.ts';
import { endLine } from '../../../domain/explain/ending.ts';
import { needsOf } from '../../../domain/explain/needs.ts';
import { noCoordinatorAdvice } from '../../../domain/explain/text.ts';
import { isAttended } from '../../../engine/orders/create-run.ts';
import { currentRun, currentRuns } from '../../../engine/orders/current-run.ts';
import { findSubject, isOpen, type KnownRun, landsBefore } from '../../../engine/orders/find-run.ts';
import { dcmStream } from '../../../ports/ledger.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { runDocument } from '../../../view/document.ts';
import { adviceLines, headLine, type RunView, runView, undoText } from '../../../view/run-view.ts';
import { timesOf } from '../../../view/task-view.ts';
import { activityReader } from '../../follow/activity.ts';
import { aRun, type Context, command, done, type Outcome, usageError } from '../../frame/command.ts';

export const statusCommand = command({
  name: 'status',
  group: 'look',
  summary: 'show the state of a run and what it is waiting for',
  arguments: { run: aRun },
  options: { all: { about: 'list all runs of this repository, and the sessions that other programs drive' } },
  mcp: true,
  looks: ({ run, all }, repo, context) => showStatus(run, all, repo, context),
});

async function showStatus(
  typed: string | undefined,
  all: boolean,
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const runs = await currentRuns(repo);
  const listed = { runs: runs.map((known) => summary(known)) };
  const sessions = all ? await replayDcmSessions(repo.ledger) : [];
  if (typed === undefined && runs.length + sessions.length === 0) return done([noRuns], listed);
  if (all)
    return done([...(await runLines(repo, runs)), ...sessions.map(lineOf)], {
      ...listed,
      sessions: sessions.map(({ session }) => ({ session: session.session, standing: dcmSessionLine(session) })),
    });
  const subject = findSubject(runs, typed, 'newest');
  if (!subject.ok && subject.error.reason === 'ambiguous' && typed === undefined)
    return done(await runLines(repo, runs, runs.filter(isOpen)), listed);
  if (!subject.ok) return usageError(subject.error.reason, `status: ${subject.error.message}`);
  const { run } = subject.value;
  const current = await viewOf(repo, subject.value);
  if (current === null)
    return done([`No coordinator has started ${run} yet. Start one: tidegate resume ${run}`], { run, ordered: true });
  const view = { ...current, activity: await activityReader(repo)(current.state) };
  const unattended = await unattendedLines(repo, view);
  const others = runs.filter((known) => isOpen(known) && known.run !== run);
  const lines = [
    ...runView(view),
    ...unattended,
    ...(typed !== undefined || others.length === 0 ? [] : ['', ...(await runLines(repo, runs, others))]),
  ];
  return {
    ...done(lines, { ...runDocument(view), attended: unattended.length === 0 }),
    needs: context.json ? needsOf(view.state) : [],
  };
}

const noRuns = 'There are no runs yet. Start one: tidegate run';

export const runsCommand = command({
  name: 'runs',
  group: 'look',
  summary: 'list the runs of this repository, one line each',
  options: { all: { about: 'also list runs that ended before the newest ten' } },
  looks: async ({ all }, repo) => {
    const runs = await currentRuns(repo);
    const ended = runs.filter((known) => !isOpen(known)).toReversed();
    const shown = [...runs.filter(isOpen), ...(all ? ended : ended.slice(0, 10))];
    const hidden = runs.length - shown.length;
    const lines: readonly Text[] =
      runs.length === 0
        ? [noRuns]
        : [
            ...(await runLines(repo, runs, shown)),
            ...(hidden === 0 ? [] : [`${hidden} older runs are not shown. List them: tidegate runs --all`]),
          ];
    return done(lines, { runs: shown.map(summary) });
  },
});

/** Null while no coordinator has started the run. */
export async function viewOf(repo: RepositoryHandle, known: KnownRun): Promise<RunView | null> {
  const now = repo.clock.now();
  const { state, stored } = await currentRun(known, { now, git: repo.git });
  return state === null ? null : { state, times: timesOf(stored), now };
}

async function unattendedLines(repo: RepositoryHandle, view: RunView): Promise<readonly Text[]> {
  if (await isAttended(repo, view)) return [];
  const { state } = view;
  const { message, ...advice } = noCoordinatorAdvice(state.run);
  return ['', [{ text: message, tone: 'bad' }], ...adviceLines(advice)];
}

const runLines = (repo: RepositoryHandle, runs: readonly KnownRun[], shown = runs): Promise<readonly Text[]> =>
  Promise.all(shown.map((known) => runLine(repo, runs, known)));

async function runLine(repo: RepositoryHandle, runs: readonly KnownRun[], known: KnownRun): Promise<Text> {
  const view = await viewOf(repo, known);
  if (view === null) return [{ text: known.run, tone: 'strong' }, ': not started yet'];
  const [need] = needsOf(view.state);
  const ahead = landsBefore(runs, view.state);
  const live = ahead === null ? 'running' : `waiting to land after ${ahead}`;
  const open = (await isAttended(repo, view)) ? live : `no coordinator is running: tidegate resume ${known.run}`;
  const undo = undoText(view);
  const rest = endLine(view.state) ?? (need === undefined ? open : `waiting for you: ${need.first ?? need.command}`);
  return [...asSpans(headLine(view)), `: ${undo === null ? rest : `undo: ${undo}`}`];
}

const lineOf = ({ session }: { readonly session: DcmSession }): Text => [
  { text: dcmStream(session.session), tone: 'strong' },
  `: ${dcmSessionLine(session)}`,
];

const asSpans = (text: Text) => (typeof text === 'string' ? [text] : text);
const summary = ({ run, state }: KnownRun) => ({
  run,
  ended: state?.ended ?? null,
  mode: state?.mode.mode ?? 'ordered',
  target: state?.target.branch ?? null,
});

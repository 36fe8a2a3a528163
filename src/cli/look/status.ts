import { atTime } from '../../domain/decide/decide-tap.ts';
import { toldOfNoCoordinator } from '../../domain/explain/machine.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { Session } from '../../domain/external/session.ts';
import { findSubject, isOpen, type KnownRun, knownRuns, landsBefore } from '../../engine/orders/find-run.ts';
import { asSeenNow } from '../../engine/orders/look-back.ts';
import { isAttended } from '../../engine/orders/rehearse.ts';
import { replaySessions } from '../../engine/replay-sessions.ts';
import { externalStream } from '../../ports/ledger.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { runDocument } from '../../view/document.ts';
import { endLine, headLine, type RunView, runView, toldLines, undoText } from '../../view/run-view.ts';
import { sessionLine } from '../../view/session-line.ts';
import { timesOf } from '../../view/times.ts';
import { activityReader } from '../follow/activity.ts';
import { type Context, done, misused, type Outcome } from '../frame/command.ts';

/** `tidegate status [run]`: where a run stands and what it waits for; with `--all` every run, one line each. */
export async function showStatus(
  { run: given, all }: { readonly run: string | undefined; readonly all: boolean },
  repo: RepositoryHandle,
  context: Context,
): Promise<Outcome> {
  const runs = await Promise.all((await knownRuns(repo.ledger)).map((one) => asSeenNow(one, repo.git)));
  const listed = { runs: runs.map((known) => summary(known)) };
  const sessions = all ? await replaySessions(repo.ledger) : [];
  if (given === undefined && runs.length + sessions.length === 0)
    return done(['No run yet. Begin with: tidegate run'], listed);
  if (all)
    return done([...(await runLines(repo, runs)), ...sessions.map(lineOf)], {
      ...listed,
      sessions: sessions.map(({ session }) => ({ session: session.session, standing: sessionLine(session) })),
    });
  const found = findSubject(runs, given, 'newest');
  if (!found.ok && found.error.reason === 'ambiguous' && given === undefined)
    return done(await runLines(repo, runs, runs.filter(isOpen)), listed);
  if (!found.ok) return misused(found.error.reason, `status: ${found.error.message}`);
  const seen = viewOf(repo, found.value);
  if (seen === null) {
    const begun = [`${found.value.run} is ordered; no coordinator has begun it: tidegate resume ${found.value.run}`];
    return done(begun, { run: found.value.run, ordered: true });
  }
  const view = { ...seen, activity: await activityReader(repo)(seen.state) };
  const alone = await unattended(repo, view);
  const others = runs.filter((known) => isOpen(known) && known.run !== found.value.run);
  const lines = [
    ...runView(view),
    ...alone,
    ...(given !== undefined || others.length === 0 ? [] : ['', ...(await runLines(repo, runs, others))]),
  ];
  return {
    ...done(lines, { ...runDocument(view), attended: alone.length === 0 }),
    needs: context.json ? needsOf(view.state) : [],
  };
}

/** `tidegate runs`: live runs, then the newest that have ended. */
export async function listRuns({ all }: { readonly all: boolean }, repo: RepositoryHandle): Promise<Outcome> {
  const runs = await knownRuns(repo.ledger);
  const live = runs.filter(isOpen);
  const ended = runs.filter((known) => !isOpen(known)).toReversed();
  const shown = [...live, ...(all ? ended : ended.slice(0, 10))];
  const hidden = runs.length - shown.length;
  const lines: readonly Text[] =
    runs.length === 0
      ? ['No run yet. Begin with: tidegate run']
      : [
          ...(await runLines(repo, runs, shown)),
          ...(hidden === 0 ? [] : [`and ${hidden} more that ended earlier: tidegate runs --all`]),
        ];
  return done(lines, { runs: shown.map(summary) });
}

export function viewOf(repo: RepositoryHandle, { state, stored }: KnownRun): RunView | null {
  const now = repo.clock.now();
  return state === null ? null : { state: atTime(state, now), times: timesOf(stored), now };
}

async function unattended(repo: RepositoryHandle, view: RunView): Promise<readonly Text[]> {
  if (await isAttended(repo, view)) return [];
  const { state } = view;
  const { message, ...told } = toldOfNoCoordinator(state);
  return ['', [{ text: message, tone: 'bad' }], ...toldLines(told)];
}

const runLines = (repo: RepositoryHandle, runs: readonly KnownRun[], shown = runs): Promise<readonly Text[]> =>
  Promise.all(shown.map((known) => runLine(repo, runs, known)));

async function runLine(repo: RepositoryHandle, runs: readonly KnownRun[], known: KnownRun): Promise<Text> {
  const view = viewOf(repo, known);
  if (view === null) return [{ text: known.run, tone: 'strong' }, ': ordered'];
  const [need] = needsOf(view.state);
  const ahead = landsBefore(runs, view.state);
  const live = ahead === null ? 'at work' : `waits to land: ${ahead} goes first`;
  const open = (await isAttended(repo, view)) ? live : `no coordinator is alive: tidegate resume ${known.run}`;
  const undo = undoText(view);
  const rest = endLine(view.state) ?? (need === undefined ? open : `waits for you: ${need.first ?? need.command}`);
  return [...asSpans(headLine(view)), `: ${undo === null ? rest : `undo: ${undo}`}`];
}

const lineOf = ({ session }: { readonly session: Session }): Text => [
  { text: externalStream(session.session), tone: 'strong' },
  `: ${sessionLine(session)}`,
];

const asSpans = (text: Text) => (typeof text === 'string' ? [text] : text);
const summary = ({ run, state }: KnownRun) => ({
  run,
  ended: state?.ended ?? null,
  mode: state?.mode.mode ?? 'ordered',
  target: state?.target.branch ?? null,
});

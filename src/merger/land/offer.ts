import { existsSync } from 'node:fs';
import {
  findRemote,
  openPerson,
  type Person,
  pushCommit,
  pushLfs,
  type Remote,
  remoteTip,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import { findRequest, hasProgram, openRequest, type Unopened } from '../../adapters/pull-request/index.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import {
  type Opener,
  openerFor,
  pullRequestText,
  type RequestTerms,
  withoutCredentials,
} from '../../domain/landing/pull-request.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import { commitSubject } from '../../domain/plan/commit-subject.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type Intent, type MergerOrder, mergerDone, recordFacts, recordIntent, refused } from '../order.ts';
import { creation, eventsOf, type History, planInForce, planned } from '../proof/history.ts';

type Branch = { readonly branch: string; readonly commit: CommitId };
type PushIntended = Extract<RunEvent, { type: 'push-intended' }>;
type RequestIntended = Extract<RunEvent, { type: 'pull-request-intended' }>;
type PushRecord = Extract<RunEvent, { type: 'pushed' }>;

/** The branch that is to be offered is in the person's repository. */
export async function recordBranch(
  order: MergerOrder,
  made: Omit<Extract<RunEvent, { type: 'branch-made' }>, 'type'>,
): Promise<MergerAnswer> {
  const recorded = await recordFacts(order, { type: 'branch-made', ...made });
  failpoint('merger-branch-made');
  return recorded;
}

/**
 * Pushes the branch of a run and opens its pull request, each once. When repeated, it looks at the remote and at the open pull
 * requests, and does the rest. The target branch never moves.
 */
export async function offer(order: MergerOrder, branch: Branch): Promise<Result<MergerAnswer, Finding>> {
  const { target } = creation(await order.ledger.read(order.run));
  const person = await openPerson(order.checkout, order.env);
  const remote = await findRemote(person, target.branch);
  if (!remote.ok) return remote;
  const before = lastTry(await order.ledger.read(order.run), 'pushed', branch.commit);
  const pushed = before === undefined ? await push(order, person, remote.value, branch) : ok(before);
  if (!pushed.ok) return pushed;
  if ('outcome' in pushed.value) return ok(pushed.value);
  const terms = termsOf(pushed.value, remote.value, target.branch);
  return terms === null ? ok(mergerDone) : await openFor(order, branch, terms);
}

async function push(
  order: MergerOrder,
  person: Person,
  remote: Remote,
  { branch, commit }: Branch,
): Promise<Result<PushRecord | MergerAnswer, Finding>> {
  const event: PushIntended = { type: 'push-intended', branch, commit, remote: remote.name };
  const intent = await recordIntent<PushIntended>(order, async (now) => intend(now, event));
  if (intent.decision === 'answer') return ok(intent.answer);
  failpoint('merger-push-intended');
  const failed = ({
    fault,
    output,
  }: {
    readonly fault: 'rejected' | 'unreachable' | 'timeout';
    readonly output: string;
  }) => err({ rule: 'push-failed', remote: remote.name, branch, fault, words: cleanWords(output) } as const);
  const tip = await remoteTip(person, remote.name, branch);
  if (!tip.ok) return failed(tip.error);
  if (tip.value !== commit) {
    const lfs = existsSync(order.state.lfs) ? await pushLfs(person, remote.name, branch) : ok(null);
    if (!lfs.ok) return failed(lfs.error);
    const moved = await pushCommit(person, remote.name, { branch, commit });
    if (!moved.ok) return failed(moved.error);
  }
  failpoint('merger-branch-pushed');
  const { host, repository } = remote.at ?? { host: null, repository: null };
  const opener = installed(order, openerFor(host));
  const fork =
    remote.upstream === null || remote.upstream.repository === repository
      ? {}
      : { upstream: remote.upstream.repository };
  const pushed: PushRecord = { type: 'pushed', branch, commit, remote: remote.name, host, repository, ...fork, opener };
  const recorded = await recordFacts(order, pushed);
  failpoint('merger-push-recorded');
  return ok(recorded.outcome === 'done' ? pushed : recorded);
}

async function openFor(
  order: MergerOrder,
  { branch, commit }: Branch,
  terms: RequestTerms,
): Promise<Result<MergerAnswer, Finding>> {
  const history = await order.ledger.read(order.run);
  if (lastTry(history, 'pull-request-opened', commit) !== undefined) return ok(mergerDone);
  const { opener, base } = terms;
  const event: RequestIntended = { type: 'pull-request-intended', branch, commit, base, opener };
  const intent = await recordIntent<RequestIntended>(order, async (now) => intend(now, event));
  if (intent.decision === 'answer') return ok(intent.answer);
  failpoint('merger-request-intended');
  const place = { cwd: order.checkout, env: order.env };
  const existing = await findRequest(place, terms);
  if (!existing.ok) return err(unopened(history, event, existing.error));
  const opened = existing.value === null ? await openRequest(place, terms, textOf(order, history)) : ok(existing.value);
  if (!opened.ok) return err(unopened(history, event, opened.error));
  failpoint('merger-request-opened');
  const recorded = await recordFacts(order, { type: 'pull-request-opened', branch, commit, url: opened.value });
  failpoint('merger-request-recorded');
  return ok(recorded);
}

/** Continues an intent that is already recorded: changes of the run since then are not offered. */
function intend<E extends PushIntended | RequestIntended>(now: History, event: E): Intent<E> {
  if (eventsOf(now, 'merged').at(-1)?.event.new !== event.commit)
    return { decision: 'answer', answer: refused({ rule: 'landing-outdated' }) };
  return { decision: lastTry(now, event.type, event.commit) === undefined ? 'intend' : 'resume', event } as Intent<E>;
}

/** The event of this type since the landing was last begun or refused. */
function lastTry<T extends TryEvent['type']>(history: History, type: T, commit: CommitId) {
  const begun = history.findLast(
    ({ event }) => begins.has(event.type) || (event.type === 'tap-opened' && event.tap === 'land'),
  );
  const isThis = (event: LedgerEvent): event is TryEvent & { readonly type: T } =>
    event.type === type && 'commit' in event && event.commit === commit;
  const since = history.filter(({ position }) => position > (begun?.position ?? 0));
  return since.map(({ event }) => event).findLast(isThis);
}
type TryEvent = PushIntended | PushRecord | RequestIntended | Extract<RunEvent, { type: 'pull-request-opened' }>;
const begins: ReadonlySet<string> = new Set<RunEvent['type']>(['branch-made', 'landing-refused', 'plan-replaced']);

/** Null: a person opens the pull request. */
function termsOf(pushed: PushRecord, remote: Remote, base: string): RequestTerms | null {
  const { opener, branch } = pushed;
  if (opener === null || remote.at === null) return null;
  return { opener, branch, base, head: remote.at, target: remote.upstream ?? remote.at };
}

const installed = ({ env }: MergerOrder, opener: Opener | null): Opener | null =>
  opener !== null && hasProgram(opener, env) ? opener : null;

function textOf(order: MergerOrder, history: History): ReturnType<typeof pullRequestText> {
  const { plan } = planInForce(history);
  const tasks = eventsOf(history, 'merged')
    .flatMap(({ event }) => event.tasks)
    .flatMap(({ task: id }) => planned(plan, id) ?? []);
  const checks = plan.checks.map(({ name }) => name);
  return pullRequestText({
    run: order.run,
    plan: plan.name,
    tasks: tasks.map((task) => ({ task, subject: commitSubject(plan, order.run, task) })),
    checks,
  });
}

function unopened(history: History, { branch, opener }: RequestIntended, { fault, output }: Unopened): Finding {
  const remote = eventsOf(history, 'pushed').at(-1)?.event.remote ?? '';
  return { rule: 'pull-request-failed', opener, remote, branch, fault, words: cleanWords(output) };
}

const cleanWords = (text: string): string => boundedWords(withoutCredentials(text));

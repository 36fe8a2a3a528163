import { listTree, readAuthor } from '../../adapters/git/read/index.ts';
import { keepReachable, writeCommit } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { TaskId } from '../../domain/base/ids.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { closureOf } from '../../domain/plan/plan.ts';
import { addedIn, bothNames, namesAfter, pathTwins } from '../../domain/scope/path-safety.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { commitMessage } from '../commit-message.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { candidateTop, eventsOf, judgedPhases, planInForce, readySnapshot } from '../proof/history.ts';
import { integrator } from './candidate.ts';

/** Makes one commit on top of the candidate with the changes of a closure role. Nothing moves but a ref that keeps the commit. */
export async function addRole(
  order: MergerOrder,
  { wave, round, task }: { readonly wave: number; readonly round: number; readonly task: TaskId },
): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const { plan } = planInForce(history);
  const role = closureOf(plan, wave).find(({ id }) => id === task);
  const snapshot = readySnapshot(history, task);
  const top = candidateTop(history, { wave, round });
  const proof = judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task);
  if (role === undefined || snapshot === undefined || proof === undefined)
    return refused({ rule: 'snapshot-unjudged', task, snapshot: snapshot?.commit ?? null });
  if (top === undefined) return refused({ rule: 'candidate-empty' });
  const added = eventsOf(history, 'candidate-extended').filter(
    ({ event }) => event.wave === wave && event.round === round,
  );
  if (added.some(({ event }) => event.snapshot === snapshot.commit)) return mergerDone;

  const names = (await listTree(repository, top.commit)).map(({ path }) => path);
  const twins = pathTwins(addedIn(snapshot.diff), namesAfter(names, snapshot.diff));
  if (twins.length > 0) return refused({ rule: 'role-conflict', task, files: bothNames(twins) });
  const integrate = await integrator(repository, [snapshot], new Set(Object.keys(plan.generated)));
  const merged = await integrate(top.tree, snapshot);
  if (!merged.ok) return refused({ rule: 'role-conflict', task, files: merged.error });
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  const message = commitMessage(plan, role, { run: order.run, task, proof: proof.hash });
  const date = `${Math.floor(Date.parse(proof.at) / 1000)} +0000`;
  const tree = merged.value;
  const commit = await writeCommit(repository, { tree, parent: top.commit, message, date, ...author.value });
  failpoint('merger-role-written');
  await keepReachable(repository, refs.candidate(order.run, wave, round), commit);
  failpoint('merger-role-kept');
  return await recordFacts(order, {
    type: 'candidate-extended',
    wave,
    round,
    task,
    snapshot: snapshot.commit,
    commit,
    tree,
  });
}

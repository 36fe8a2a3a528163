import { recordsOf } from '../../domain/board/board.ts';
import { atTime } from '../../domain/decide/decide-tap.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { recordDocument, recordLines } from '../../view/board-lines.ts';
import { toldLines } from '../../view/run-view.ts';
import { type Context, done, type Outcome } from '../frame/command.ts';
import { showEach, wholeRunNamed } from '../frame/subject.ts';

/** `tidegate board [run]`: what agents and people wrote to one another, in order. */
export const showBoard = ({ run }: { readonly run: string | undefined }, repo: RepositoryHandle): Promise<Outcome> =>
  showEach(repo, run, (given) => boardOfOne(given, repo));

async function boardOfOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'board', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state } = found.value;
  const board = recordsOf(state);
  const records = board.map(recordDocument);
  if (records.length === 0) return done([`Nothing is on the board of ${run}.`], { run, records });
  return done(board.flatMap(recordLines), { run, records });
}

/** `tidegate inbox`: everything in this repository that waits for a person. */
export async function showInbox(_input: object, repo: RepositoryHandle, context: Context): Promise<Outcome> {
  const waiting = (await knownRuns(repo.ledger)).flatMap(({ run, state }) =>
    state === null ? [] : needsOf(atTime(state, repo.clock.now())).map((need) => ({ run, ...need })),
  );
  if (waiting.length === 0) return done(['Nothing waits for you.'], { items: [] });
  const lines = waiting.flatMap(({ run, task, ...told }): readonly Text[] => [
    [{ text: task === null ? run : `${run}/${task}`, tone: 'strong' }, `: ${told.message}`],
    ...toldLines(told),
  ]);
  return { ...done(lines, { items: waiting }), needs: context.json ? waiting : [] };
}

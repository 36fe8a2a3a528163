import { recordsOf } from '../../../domain/board/board.ts';
import { needsOf } from '../../../domain/explain/needs.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { recordDocument, recordLines } from '../../../view/board-lines.ts';
import { adviceLines } from '../../../view/run-view.ts';
import { aRun, command, done, type Outcome } from '../../frame/command.ts';
import { resolveWholeRun, showEach } from '../../frame/subject.ts';

export const boardCommand = command({
  name: 'board',
  group: 'look',
  summary: 'show the messages between agents and people',
  arguments: { run: aRun },
  looks: ({ run }, repo) => showEach(repo, run, (typed) => boardOfOne(typed, repo)),
});

async function boardOfOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'board', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state } = subject.value;
  const board = recordsOf(state);
  const records = board.map(recordDocument);
  if (records.length === 0) return done([`The board of ${run} is empty.`], { run, records });
  return done(board.flatMap(recordLines), { run, records });
}

export const inboxCommand = command({
  name: 'inbox',
  group: 'look',
  summary: 'list everything that is waiting for you, in all runs',
  looks: async (_input, repo, context) => {
    const items = (await currentRuns(repo)).flatMap(({ run, state }) =>
      state === null ? [] : needsOf(state).map((need) => ({ run, ...need })),
    );
    if (items.length === 0) return done(['Nothing is waiting for you.'], { items });
    const lines = items.flatMap(({ run, task, ...need }): readonly Text[] => [
      [{ text: task === null ? run : `${run}/${task}`, tone: 'strong' }, `: ${need.message}`],
      ...adviceLines(need),
    ]);
    return { ...done(lines, { items }), needs: context.json ? items : [] };
  },
});

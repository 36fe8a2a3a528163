import { recordsOf } from '../../../domain/board/board.ts';
import { boardCounters } from '../../../domain/board/counters.ts';
import { needsOf } from '../../../domain/explain/needs.ts';
import { needsOfRepository } from '../../../domain/explain/repository-needs.ts';
import { theRepository } from '../../../domain/repository/repository.ts';
import { outlivedRecords } from '../../../domain/repository/repository-board.ts';
import { currentRuns } from '../../../engine/orders/current-run.ts';
import { readRepository } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { counterLine, overdueIn, recordDocument, recordLines } from '../../../view/board-lines.ts';
import { adviceLines } from '../../../view/run-view.ts';
import { age } from '../../../view/task-view.ts';
import { aRun, command, done, type Outcome, usageError } from '../../frame/command.ts';
import { resolveWholeRun, showEach } from '../../frame/subject.ts';

export const boardCommand = command({
  name: 'board',
  group: 'look',
  summary: 'show the messages between agents and people',
  arguments: { run: aRun },
  options: { repository: { about: 'show the board of the repository, and open questions of runs that have ended' } },
  looks: async ({ run, repository }, repo) => {
    if (repository && run !== undefined)
      return usageError('run-or-repository', 'board: name a run, or use --repository');
    return repository || run === theRepository
      ? await boardOfRepository(repo)
      : await showEach(repo, run, (typed) => boardOfOne(typed, repo));
  },
});

async function boardOfOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'board', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state } = subject.value;
  const board = recordsOf(state);
  const records = board.map(recordDocument);
  const now = repo.clock.now();
  const data = { run, counters: boardCounters(state, now), records };
  if (records.length === 0) return done([`The board of ${run} is empty.`], data);
  return done([...board.flatMap((record) => recordLines(record)), counterLine(state, now)], data);
}

async function boardOfRepository(repo: RepositoryHandle): Promise<Outcome> {
  const board = recordsOf(await readRepository(repo.ledger));
  const outlived = outlivedRecords((await currentRuns(repo)).flatMap(({ state }) => state ?? []));
  const data = {
    records: board.map(recordDocument),
    outlived: outlived.map(({ run, record }) => ({ run, ...recordDocument(record) })),
  };
  const lines = [
    ...(board.length === 0
      ? ['The board of the repository is empty.']
      : board.flatMap((record) => recordLines(record))),
    ...(outlived.length === 0 ? [] : ['', 'Open records of runs that have ended:']),
    ...outlived.flatMap(({ run, record }) => recordLines(record, `${run}/`)),
  ];
  return done(lines, data);
}

export const inboxCommand = command({
  name: 'inbox',
  group: 'look',
  summary: 'list everything that is waiting for you, in all runs',
  looks: async (_input, repo, context) => {
    const now = repo.clock.now();
    const ofRuns = (await currentRuns(repo)).flatMap(({ run, state }) =>
      state === null ? [] : needsOf(state).map((need) => ({ run, ...need, ...overdueIn(state, need.record, now) })),
    );
    const above = needsOfRepository(await readRepository(repo.ledger));
    const items = [...ofRuns, ...above.map((need) => ({ run: theRepository, overdue: undefined, ...need }))];
    if (items.length === 0) return done(['Nothing is waiting for you.'], { items });
    const lines = items.flatMap(({ run, task, overdue, ...need }): readonly Text[] => [
      [
        { text: task === null ? run : `${run}/${task}`, tone: 'strong' },
        `: ${need.message}${overdue === undefined ? '' : ` (overdue for ${age(overdue.since, now)})`}`,
      ],
      ...adviceLines(need),
    ]);
    return { ...done(lines, { items }), needs: context.json ? items : [] };
  },
});

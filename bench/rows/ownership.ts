import { claimsOf } from '../../src/domain/scope/claims.ts';
import { ownershipConflicts } from '../../src/domain/scope/ownership.ts';
import { indexPatterns, matches, pattern } from '../../src/domain/scope/pattern.ts';
import { frozenPlan, plannedTask } from '../../test/support/plans.ts';
import { inTurns, type Row } from './row.ts';

const sampled = 5;

/** Who owns what: every pair of 1,000 tasks and every one of 50,000 files, beside trying each task on each file. */
export async function ownershipRow(tasks: number, files: number, rounds: number): Promise<Row> {
  const patternsOf = (id: number) => [
    ...Array.from({ length: 16 }, (_, part) => `src/mod${id}/part${part}/**`),
    ...Array.from({ length: 3 }, (_, part) => `docs/mod${id}/*-${part}.md`),
    `test/**/mod${id}-*.test.ts`,
  ];
  const planned = Array.from({ length: tasks }, (_, id) => plannedTask(`t${id}`, { owns: patternsOf(id) }));
  const plan = frozenPlan([planned]);
  const paths = Array.from({ length: files }, (_, file) => `src/mod${file % tasks}/part${file % 16}/deep/f${file}.ts`);
  const ours = async () => {
    ownershipConflicts(plan, 0, []);
    const index = indexPatterns(planned.flatMap((task) => claimsOf(plan, task, [])));
    for (const path of paths) index.owners(path);
  };
  // Trying them all would take minutes: a few tasks are tried on every file and the rest is computed.
  const few = Array.from({ length: sampled }, (_, id) => patternsOf(id).map(pattern));
  const theirs = async () => {
    for (const patterns of few) for (const path of paths) patterns.some((one) => matches(one, path));
  };
  const spent = await inTurns(rounds, ours, theirs);
  return {
    name: `ownership, ${tasks} tasks x 20 patterns, ${files} files`,
    ours: spent.ours,
    beside: `each pattern on each file (from ${sampled} tasks)`,
    theirs: (spent.theirs / sampled) * tasks,
    unit: 'ms',
  };
}

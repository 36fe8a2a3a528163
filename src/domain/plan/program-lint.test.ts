import { expect, test } from 'vitest';
import { frozenPlan, task } from '../../../test/support/plans.ts';
import { lintPrograms, ownPrograms } from './program-lint.ts';

test('only files of the repository are looked for, and a program that cannot be run is named', () => {
  const commands = [['./scan.sh'], ['tools/run', '-x'], ['sh', '-c', './x'], ['/bin/true'], ['../out.sh']];
  const tasks = commands.map((command, at) => task(`t${at}`, { command }));
  const programs = ownPrograms(frozenPlan([tasks]));
  expect(programs).toEqual([
    { task: 't0', path: 'scan.sh' },
    { task: 't1', path: 'tools/run' },
  ]);
  const faults = (mode: string | null) =>
    lintPrograms(programs, new Map(mode === null ? [] : programs.map(({ path }) => [path, mode])), 'main').map((one) =>
      one.rule === 'command-file' ? one.fault : one.rule,
    );
  expect([faults('100755'), faults('100644'), faults(null)]).toEqual([
    [],
    ['not-executable', 'not-executable'],
    ['missing', 'missing'],
  ]);
});

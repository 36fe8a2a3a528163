import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const replayCommand = command({
  name: 'replay',
  group: 'keep',
  summary: 'judge all evidence of a run again; the verdicts must be the same',
  arguments: {
    run: {
      ...aRun,
      about: 'a run or the beginning of its name, or external:<session>; without it the live or the newest one',
    },
  },
  looks: async (input, repo) => (await import('../../look/replay.ts')).judgeAgain(input, repo),
});

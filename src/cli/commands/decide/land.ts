import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const landCommand = command({
  name: 'land',
  group: 'decide',
  summary: 'move your branch to what the run has proven, or to some of it',
  arguments: {
    run: { ...aRun, about: 'a run or the beginning of its name; without it the live or the newest one' },
  },
  options: {
    only: { value: 'tasks', about: 'only these, with commas between; what they make alone is checked first' },
    except: { value: 'tasks', about: 'all but these, and what needs them; they can be landed later' },
  },
  run: async (...call) => (await import('../../decide/land.ts')).landRun(...call),
});

import type { Register } from './command.ts';
import { inFenceOnly } from './in-fence-only.ts';

export const ask: Register = (command, ...rest) => {
  command
    .option('--scope <path...>', 'paths that the task does not own')
    .option('-m, --message <text>', 'why they are needed, or the question itself')
    .option('--to <task>', 'whom the question is for; a person, if nobody is named')
    .option('--wait <seconds>', 'wait so long for an answer');
  inFenceOnly(
    'ask: only an agent inside the fence of its task can ask; people grant (tidegate grant), answer (tidegate answer) and write to agents (tidegate post)',
  )(command, ...rest);
};

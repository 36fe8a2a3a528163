import type { Register } from './command.ts';
import { inFenceOnly } from './in-fence-only.ts';

export const handoff: Register = (command, ...rest) => {
  command.argument('[status]', 'done, partial or failed').option('-m, --message <text>', 'what was done');
  inFenceOnly('handoff: only an agent inside the fence of its task can hand off; nothing was recorded here')(
    command,
    ...rest,
  );
};

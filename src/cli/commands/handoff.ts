import { misused } from '../command.ts';
import { command } from '../definition.ts';

export const handoffCommand = command({
  name: 'handoff',
  group: 'agent',
  summary: 'end a task with a statement; only inside its fence',
  arguments: { status: { about: 'done, partial or failed', required: true, shown: 'done|partial|failed' } },
  options: { message: { short: 'm', value: 'text', required: true, about: 'what was done' } },
  lenient: true,
  run: () =>
    misused(
      'not-in-a-fence',
      'handoff: only an agent inside the fence of its task can hand off; nothing was recorded here',
    ),
});

import { aTask } from '../arguments.ts';
import { command } from '../definition.ts';

export const editCommand = command({
  name: 'edit',
  group: 'decide',
  summary: "change a task's work by hand, and take it",
  arguments: { task: aTask },
  help: 'Opens a copy of the snapshot in VISUAL or EDITOR. What you leave there becomes the next snapshot. Your changes count as granted.',
  run: async (...call) => (await import('../edit.ts')).editTask(...call),
});

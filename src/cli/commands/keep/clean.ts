import { misused } from '../../frame/command.ts';
import { command } from '../../frame/definition.ts';

export const cleanCommand = command({
  name: 'clean',
  group: 'keep',
  summary: 'remove workspaces that landed or were dropped, and unused copies',
  arguments: { path: { about: 'with --discard: paths, as `tidegate status` shows them', variadic: true } },
  options: {
    dryRun: { about: 'only say what would be removed, and why the rest is kept' },
    discard: { value: 'run/task', about: 'remove files of this task that no snapshot holds' },
  },
  run: async ({ path, dryRun, discard }, context, program) => {
    if (discard === undefined && path.length > 0)
      return misused('usage', 'clean: paths belong to --discard <run>/<task>');
    if (discard !== undefined && (path.length === 0 || dryRun))
      return misused('usage', 'clean: --discard <run>/<task> takes the paths to remove, and no --dry-run');
    if (discard !== undefined) {
      const asking = { action: 'discard', subject: discard, input: { paths: path } } as const;
      return (await import('../../frame/act.ts')).askFor(asking, context, program);
    }
    const { cleanDisk } = await import('../../look/clean.ts');
    return (await import('../../frame/with-repository.ts')).withRepository(
      program.ports.openRepository,
      context,
      'look',
      (repo) => cleanDisk({ dryRun }, repo),
    );
  },
});

import type { CommandEntry } from '../cli/command.ts';

/**
 * Every command, in the order of `--help`. `load` composes it with the adapters it needs, and only when it is called:
 * `tidegate --help` loads none of them.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: 'completion',
    usage: '<bash|zsh|fish>',
    summary: 'print a completion script for your shell',
    group: 'keep',
    load: async () => (await import('../cli/completion.ts')).completion(commands),
  },
];

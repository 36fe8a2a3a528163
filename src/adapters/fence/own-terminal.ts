import { shellWord } from '../../domain/base/shell-word.ts';
import type { FencedCommand } from './fence.ts';
import { FenceUnavailable, findTool, type Host } from './host.ts';

/**
 * The same command on a new pseudo terminal. Its other side is held by `script`, outside: what a fenced process pushes into its
 * terminal comes back to the fence, and never to the terminal that the person types into. When we die `script` is told to end, so
 * that it puts the person's terminal back as it was.
 */
export function onOwnTerminal(
  command: FencedCommand,
  host: Host,
  environment: Readonly<Record<string, string | undefined>>,
): FencedCommand {
  const script = findTool(environment, 'script');
  if (script === null) throw new FenceUnavailable({ rule: 'tools-missing', tools: ['script'] });
  const line = [command.file, ...command.args].map(shellWord).join(' ');
  const args = ['--pdeathsig', 'TERM', '--', script, '--quiet', '--return', '--command', `exec ${line}`, '/dev/null'];
  return { ...command, file: host.tools.setpriv, args };
}

import type { Text } from '../../ports/terminal.ts';
import { groups } from './command.ts';
import type { Command } from './definition.ts';

export const globalOptions = [
  { flags: '-C <dir>', summary: 'work as if started in <dir>' },
  { flags: '--state-dir <dir>', summary: 'keep state below <dir> instead of the default place' },
  { flags: '--json', summary: 'one JSON document, or JSON Lines while following' },
  { flags: '--no-color', summary: 'no colours, as with NO_COLOR' },
  { flags: '-h, --help', summary: 'this help, or that of a command' },
  { flags: '-V, --version', summary: 'the version' },
] as const;

/** The whole of `tidegate --help`, at most 80 columns wide. */
export function overview(commands: readonly Command[]): readonly Text[] {
  const lines: Text[] = [
    'Runs waves of coding agents on a git repository; merges only what it can prove.',
    '',
    [{ text: 'Usage:', tone: 'strong' }, ' tidegate [options] <command> …'],
  ];
  for (const [group, title] of Object.entries(groups)) {
    const members = commands.filter((command) => command.group === group && command.hidden !== true);
    if (members.length === 0) continue;
    lines.push('', [{ text: title, tone: 'strong' }]);
    for (const { name, summary } of members) lines.push(`  ${name.padEnd(11)} ${summary}`);
  }
  lines.push('', [{ text: 'Options', tone: 'strong' }]);
  for (const { flags, summary } of globalOptions) lines.push(`  ${flags.padEnd(19)} ${summary}`);
  lines.push('', 'More on one: tidegate <command> --help');
  return lines;
}

import type { Text } from '../../ports/terminal.ts';

const keys: readonly (readonly [string, string])[] = [
  ['↑ ↓  j k', 'the task before, the next one'],
  ['⏎', 'what its agent says and does, live; for commands what they print'],
  ['d', 'what it changed, with whose each file is'],
  ['l', 'what it printed'],
  ['w', 'why it is where it is, and what to type'],
  ['tab', 'unfold the five words into ten phases'],
  ['', ''],
  ['a', 'approve what is asked: the start of a wave, or the landing'],
  ['g', 'grant the paths that the task is held for or asks for'],
  ['$', 'raise the limit of money that is in the way'],
  ['r', 'rework: another attempt on top of what is there, told what to mend'],
  ['t', 'take the work as it is, although its agent did not finish'],
  ['x', 'drop the task by name; its work is kept for rescue'],
  ['p', 'pause: nothing new starts; once more: resume'],
  ['s  X', 'stop: agents end; abandon: the run ends for good. Both keep the work'],
  ['esc', 'back; q does the same in a text'],
  ['q', 'leave; the run goes on in the background'],
  ['Ctrl-C', 'in `tidegate run`: detach or stop; else leave'],
  ['PgUp PgDn', 'in a text: a page; b and space too'],
  ['g G', 'in a text: its beginning, its end; home and end too'],
];

export const helpLines: readonly Text[] = keys.map(([key, does]) => [{ text: key.padEnd(12), tone: 'strong' }, does]);

import type { RunId } from '../domain/ids.ts';
import type { PlannedTask } from '../domain/plan.ts';

export type Trailers = { readonly run: RunId; readonly task: string; readonly proof: string };

/** One line that says what the task was about, then who vouches for it. */
export function commitMessage(task: PlannedTask, trailers: Trailers): string {
  return `${titleOf(task)}\n\n${trailerLines(trailers)}`;
}

export function trailerLines({ run, task, proof }: Trailers): string {
  return `Tidegate-Run: ${run}\nTidegate-Task: ${task}\nTidegate-Proof: ${proof}\n`;
}

/** Of the commit that holds what no task wrote; `proof` is the record of the commands that did. */
export const generatedMessage = ({ run, proof }: Pick<Trailers, 'run' | 'proof'>): string =>
  `Rebuild generated files\n\nTidegate-Run: ${run}\nTidegate-Proof: ${proof}\n`;

export function readTrailer(message: string, name: string): string | undefined {
  const paragraph = message.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph
    .split('\n')
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

/** The first line of the brief that says something, without markdown's marks; the task's id when there is none. */
function titleOf(task: PlannedTask): string {
  const body = task.directive.text.replace(/^---\n[\s\S]*?\n---\n/, '');
  const line = body
    .split('\n')
    .map((text) => text.replace(/^[#>*\s-]+/, '').trim())
    .find((text) => text !== '');
  const title = [...(line ?? task.id)].filter((character) => !isControl(character)).join('');
  return title.length <= longest ? title : `${title.slice(0, longest - 1).trimEnd()}…`;
}

const longest = 72;
const isControl = (character: string): boolean => /\p{Cc}/u.test(character);

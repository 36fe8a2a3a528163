import { unreachable } from '../base/result.ts';

/** Something that agents do when they no longer get on, found in what they did. */
export type Trip = {
  readonly pattern: 'pagination-spiral' | 'turn-key-repetition' | 'error-echo' | 'self-revert';
  /** What it turns on, relative to the workspace where it lies inside; null when it is no file. */
  readonly file: string | null;
  readonly occurrences: number;
  /** Only of an error echo. */
  readonly class: EchoClass | null;
  /** Only of a pagination spiral: the lines that were read. */
  readonly reads?: readonly { readonly from: number; readonly to: number }[];
  /** What was counted, in the agent's own words; short, and safe to show. */
  readonly words: readonly string[];
};

export type EchoClass = 'edit-format-friction' | 'scope-denied' | 'command-blocked' | 'other';

/** How often a thing is done until it counts as a spiral. */
export const tripCount = 3;

/** What the agent is told, once, so that it may find out by itself. */
export function tellAgent(trip: Trip): string {
  const file = trip.file === null ? 'the same file' : `\`${trip.file}\``;
  switch (trip.pattern) {
    case 'pagination-spiral':
      return `You have read the same lines of ${file} ${trip.occurrences} times without an edit. You know them: make the change, or say in your handoff what is missing.`;
    case 'turn-key-repetition':
      return `You have made the same call ${trip.occurrences} times with the same result. It will not change: try something else, or hand off what you have.`;
    case 'self-revert':
      return `You have put ${file} back to an earlier content ${trip.occurrences} times. Decide for one version and say why, or hand off as partial and say what is undecided.`;
    case 'error-echo':
      return `The same attempt has failed ${trip.occurrences} times with the same error. ${advice(trip.class ?? 'other')}`;
    default:
      return unreachable(trip.pattern);
  }
}

function advice(echo: EchoClass): string {
  switch (echo) {
    case 'edit-format-friction':
      return 'Read the file again and copy the text to be replaced exactly, with its white space, or write the whole file.';
    case 'scope-denied':
      return 'It is outside your scope and stays refused: ask with `tidegate ask --scope <path>`, or do without it.';
    case 'command-blocked':
      return 'The command stays refused: reach the goal without it, or hand off as partial and say what is missing.';
    case 'other':
      return 'Find the cause before you try once more, or hand off as partial and say what stands in the way.';
    default:
      return unreachable(echo);
  }
}

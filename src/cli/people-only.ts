import { exitCodes, type Outcome } from './command.ts';
import type { Desk } from './desk.ts';

/** Deciding is a person's: null for a person, else the outcome that tells an agent so. */
export function peopleOnly(desk: Desk, command: string): Outcome | null {
  const { agent } = desk.caller;
  if (agent === null) return null;
  return {
    exit: exitCodes.personNeeded,
    reason: 'caller-is-agent',
    needs: [{ kind: 'person', task: null, message: 'a person decides this, in a terminal of their own', command }],
    problems: [`tidegate: refused: this was called by an agent (${agent}), and only a person may do it`],
  };
}

import type { Desk } from '../ports/desk.ts';
import { exitCodes, type Outcome } from './command.ts';

/** Deciding is a person's: null for a person, and for an agent that they let decide; else the outcome that tells it so. */
export function peopleOnly(desk: Pick<Desk, 'caller'>, command: string): Outcome | null {
  const { agent, mayDecide } = desk.caller;
  if (mayDecide) return null;
  return {
    exit: exitCodes.personNeeded,
    reason: 'caller-is-agent',
    needs: [{ kind: 'person', task: null, message: 'a person decides this, in a terminal of their own', command }],
    problems: [`tidegate: refused: this was called by an agent (${agent}), and only a person may do it`],
  };
}

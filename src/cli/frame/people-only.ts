import { mayPerform } from '../../engine/actions/perform.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { exitCodes, type Outcome } from './command.ts';

/** Returns null for a person, and for an agent that they let decide. For commands of people that perform no action. */
export const peopleOnly = (repo: Pick<RepositoryHandle, 'caller'>, command: string): Outcome | null =>
  mayPerform({ who: 'person' }, repo.caller) ? null : callerIsAgent(repo, command);

/** Tells an agent that a person decides this, and by which command. */
export const callerIsAgent = ({ caller: { agent } }: Pick<RepositoryHandle, 'caller'>, command: string): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'caller-is-agent',
  needs: [{ kind: 'person', task: null, message: 'a person decides this, in a terminal of their own', command }],
  problems: [`tidegate: refused: this was called by an agent (${agent}), and only a person may do it`],
});

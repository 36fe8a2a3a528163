import { isOfAgent } from '../board/board.ts';
import { isForPerson } from '../dependencies/blocks.ts';
import { endName, isDependencyOpen } from '../dependencies/dependency.ts';
import { type RepositoryState, theRepository } from '../repository/repository.ts';
import { openOnRepository } from '../repository/repository-board.ts';
import { answerQuestion } from './commands.ts';
import type { Need } from './needs.ts';
import { endDependencyCommand } from './sentences/dependency-sentences.ts';
import { brief } from './text.ts';

/** Lists what the repository itself needs from people: records of its board, and dependencies of branches that nothing else resolves. */
export const needsOfRepository = (state: RepositoryState): readonly Need[] => [
  ...openOnRepository(state).map(
    ({ id, kind, from, text, target }): Need => ({
      kind: 'question',
      task: null,
      record: id,
      message: `${isOfAgent(from) ? from.task : from.who} posted for ${target === 'all' ? 'all runs' : 'a person'} (${kind}): "${brief(text)}"`,
      safe: 'it stays on the board of the repository and blocks no run',
      command: answerQuestion(theRepository, id),
    }),
  ),
  ...(state.dependencies ?? [])
    .filter((one) => isDependencyOpen(one) && one.required && isForPerson(one))
    .map(
      ({ id, branch, other, text }): Need => ({
        kind: 'dependency',
        task: null,
        barrier: id,
        message: `dependency ${id} of the branch ${branch} on ${endName(other)} is open: ${brief(text)}`,
        safe: `nothing lands on ${branch} until you decide`,
        lines: [`if it is not needed any more: ${endDependencyCommand(id, 'cancel')}`],
        command: endDependencyCommand(id),
      }),
    ),
];

import type { RunId } from '../../domain/base/ids.ts';
import type { Result } from '../../domain/base/result.ts';
import { describeRefusal, explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { SubjectKind, Subjects } from '../../engine/actions/action.ts';
import { type ActionInputs, type ActionKinds, type ActionName, actions } from '../../engine/actions/actions.ts';
import { type ActingCaller, mayPerform, type Performed, performAction } from '../../engine/actions/perform.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { type Context, done, exitCodes, misused, type Outcome } from './command.ts';
import type { ActionCall, Program } from './definition.ts';
import { callerIsAgent } from './people-only.ts';
import { runNamed, taskNamed, wholeRunNamed } from './subject.ts';
import { failed, withRepository } from './with-repository.ts';
import { wordings } from './wording.ts';

/** Opens the repository for an action and ends as a command that is this one action. */
export const askFor = (asking: ActionCall, context: Context, { ports }: Pick<Program, 'ports'>): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'ask', (repo) => act(repo, asking));

/** Performs an action on what was named. Also for the keys of the screen. */
export async function act<N extends ActionName>(
  repo: RepositoryHandle,
  { action, subject, input }: ActionCall<N>,
): Promise<Outcome> {
  const found = await finders[actions[action].on](repo, typedName(action), subject);
  return found.ok ? await actOn(repo, { action, subject: found.value, input }) : found.error;
}

type ActingOn<N extends ActionName> = {
  readonly action: N;
  readonly subject: Subjects[ActionKinds[N]];
  readonly input: ActionInputs[N];
  /** Defaults to the caller of the repository handle. */
  readonly caller?: ActingCaller;
};

/** Performs an action, and words how it ended. */
export const actOn = async <N extends ActionName>(repo: RepositoryHandle, acting: ActingOn<N>): Promise<Outcome> =>
  (await actAndTell(repo, acting)).outcome;

/** The same, for a command that goes on from how it ended. */
export async function actAndTell<N extends ActionName>(
  repo: RepositoryHandle,
  acting: ActingOn<N>,
): Promise<{ readonly performed: Performed; readonly outcome: Outcome }> {
  const { action, subject, input } = acting;
  const said = wordings[action].accepted(subject, input);
  const performed = await performAction(repo, { ...acting, action: actions[action] });
  return { performed, outcome: outcomeOf(repo, acting, performed, said) };
}

/** `said` is for one that was accepted. */
function outcomeOf<N extends ActionName>(
  repo: RepositoryHandle,
  { action, subject, input }: ActingOn<N>,
  performed: Performed,
  said: string,
): Outcome {
  const { run } = subject;
  switch (performed.outcome) {
    case 'accepted':
      return done([said], { run });
    case 'not-allowed':
      return callerIsAgent(repo, `tidegate ${wordings[action].command(subject, input)}`);
    case 'misuse':
      return misused(performed.reason, `${typedName(action)}: ${explain(performed.because).detail}`);
    case 'moot': {
      const { detail } = explain(performed.because);
      return performed.isDone
        ? { ...done([`${detail}.`], { run }), reason: performed.reason }
        : failed(performed.reason, `${typedName(action)}: ${detail}`);
    }
    case 'refused':
      return refused(run, performed.because);
    case 'halted': {
      const message = explain(performed.because).detail;
      return {
        exit: exitCodes.personNeeded,
        reason: 'halted',
        needs: [{ kind: 'halted', task: null, message, command: `tidegate resume ${run}` }],
        problems: [`tidegate: halted: ${message}. What was asked is done by: tidegate resume ${run}`],
        data: { run },
      };
    }
    case 'no-answer':
      return {
        exit: exitCodes.noAnswer,
        reason: 'no-answer',
        problems: [
          `tidegate: no coordinator answers. The request is recorded, and is taken up once one runs: tidegate resume ${run}`,
        ],
        data: { run },
      };
    case 'key-reused':
      throw new Error('commands ask without a key');
  }
}

/** Refuses an agent before a person is asked, or something is prepared, for an action that it may not perform. */
export const refusedToAgent = (repo: RepositoryHandle, action: ActionName, command: string): Outcome | null =>
  mayPerform(actions[action], repo.caller) ? null : callerIsAgent(repo, `tidegate ${command}`);

const finders: {
  readonly [K in SubjectKind]: (
    repo: RepositoryHandle,
    name: string,
    given: string | undefined,
  ) => Promise<Result<Subjects[K], Outcome>>;
} = { run: wholeRunNamed, task: taskNamed, part: runNamed };

/** The command that an action belongs to. */
const typedName = (action: ActionName): string =>
  action in ownedBy ? ownedBy[action as keyof typeof ownedBy] : action;

const ownedBy = { 'switch-agent': 'retry', replan: 'resume', discard: 'clean', 'edit-landing': 'edit' } as const;

/** Where a refusal does not say what to do instead, a look at the run helps. */
function refused(run: RunId, because: Finding): Outcome {
  const message = describeRefusal(because);
  const look = explain(because).fix === undefined ? `; see tidegate why ${run}` : '';
  return { ...failed('refused', `refused: ${message}${look}`), data: { run, message } };
}

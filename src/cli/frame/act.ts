import type { RunId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { describeRefusal, explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { theRepository } from '../../domain/repository/repository.ts';
import type { SubjectKind, Subjects } from '../../engine/actions/action.ts';
import { type ActionInputs, type ActionKinds, type ActionName, actions } from '../../engine/actions/actions.ts';
import { type ActingCaller, mayPerform, type Performed, performAction } from '../../engine/actions/perform.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import {
  type ActionCall,
  type Context,
  done,
  exitCodes,
  failure,
  type Outcome,
  type Program,
  usageError,
} from './command.ts';
import type { RepositoryAccess } from './ports.ts';
import { repositorySubject, resolveRun, resolveTask, resolveWholeRun, withRepository } from './subject.ts';
import { wordings } from './wording.ts';

/** Runs a command that is exactly one action. */
export const actOnce = (call: ActionCall, context: Context, { ports }: Pick<Program, 'ports'>): Promise<Outcome> =>
  withRepository(ports.openRepository, context, accessOf(call), (repo) => act(repo, call));

/** A repository can be written to before its first run; anything else is about a run that is there. */
const accessOf = ({ action }: ActionCall): RepositoryAccess => (actions[action].on === 'repository' ? 'act' : 'ask');

/** Performs an action on a run or task that is named as a person types it. Also for the keys of the terminal UI. */
export async function act<N extends ActionName>(
  repo: RepositoryHandle,
  { action, subject: typed, input }: ActionCall<N>,
): Promise<Outcome> {
  const subject = await resolvers[actions[action].on](repo, commandName(action), typed);
  return subject.ok ? await actOn(repo, { action, subject: subject.value, input }) : subject.error;
}

type ResolvedCall<N extends ActionName> = {
  readonly action: N;
  readonly subject: Subjects[ActionKinds[N]];
  readonly input: ActionInputs[N];
  /** Defaults to the caller of the repository handle. */
  readonly caller?: ActingCaller;
};

/** Performs an action and words its outcome. */
export const actOn = async <N extends ActionName>(repo: RepositoryHandle, call: ResolvedCall<N>): Promise<Outcome> =>
  (await actAndReport(repo, call)).outcome;

/** Like `actOn`, for a command that continues depending on the result. */
export async function actAndReport<N extends ActionName>(
  repo: RepositoryHandle,
  call: ResolvedCall<N>,
): Promise<{ readonly performed: Performed; readonly outcome: Outcome }> {
  const { action, subject, input } = call;
  // worded before the action: the text tells what changes
  const accepted = wordings[action].accepted(subject, input);
  const performed = await performAction(repo, { ...call, action: actions[action] });
  return { performed, outcome: outcomeOf(repo, call, performed, accepted) };
}

function outcomeOf<N extends ActionName>(
  repo: RepositoryHandle,
  { action, subject, input }: ResolvedCall<N>,
  performed: Performed,
  accepted: string,
): Outcome {
  const { run } = subject;
  switch (performed.outcome) {
    case 'accepted':
      return done([accepted], { run });
    case 'not-allowed':
      return agentRefusal(repo, `tidegate ${wordings[action].command(subject, input)}`);
    case 'misuse':
      return usageError(performed.reason, `${commandName(action)}: ${explain(performed.because).detail}`);
    case 'moot': {
      const { detail } = explain(performed.because);
      return performed.isDone
        ? { ...done([`${detail}.`], { run }), reason: performed.reason }
        : failure(performed.reason, `${commandName(action)}: ${detail}`);
    }
    case 'refused':
      return refusal(run, performed.because);
    case 'halted': {
      const message = explain(performed.because).detail;
      return {
        exit: exitCodes.personNeeded,
        reason: 'halted',
        needs: [{ kind: 'halted', task: null, message, command: `tidegate resume ${run}` }],
        problems: [`tidegate: halted: ${message}. Your request is recorded. Continue: tidegate resume ${run}`],
        data: { run },
      };
    }
    case 'no-answer':
      return {
        exit: exitCodes.noAnswer,
        reason: 'no-answer',
        problems: [`tidegate: no coordinator answers. Your request is recorded. ${startOne(run)}`],
        data: { run },
      };
    case 'key-reused':
      throw new Error('commands ask without a key');
  }
}

const startOne = (run: RunId): string =>
  run === theRepository ? 'Start one: tidegate resume <run>' : `Start one: tidegate resume ${run}`;

/** Refuses an agent early, before a person is asked or something is prepared. Null when the caller may act. */
export const refuseAgentAction = (repo: RepositoryHandle, action: ActionName, command: string): Outcome | null =>
  mayPerform(actions[action], repo.caller) ? null : agentRefusal(repo, `tidegate ${command}`);

/** The same for a command that performs no action. Null for a person, and for an agent that may decide. */
export const refuseAgent = (repo: Pick<RepositoryHandle, 'caller'>, command: string): Outcome | null =>
  mayPerform({ who: 'person' }, repo.caller) ? null : agentRefusal(repo, command);

/** Tells an agent that only a person may do this, and by which command. */
export const agentRefusal = ({ caller: { agent } }: Pick<RepositoryHandle, 'caller'>, command: string): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'caller-is-agent',
  needs: [{ kind: 'person', task: null, message: 'a person must run this in their own terminal', command }],
  problems: [`tidegate: refused: an agent (${agent}) called this, and only a person may`],
});

const resolvers: {
  readonly [K in SubjectKind]: (
    repo: RepositoryHandle,
    command: string,
    typed: string | undefined,
  ) => Promise<Result<Subjects[K], Outcome>>;
} = {
  run: resolveWholeRun,
  task: resolveTask,
  part: resolveRun,
  repository: async (repo, command, typed) =>
    typed === undefined
      ? ok(await repositorySubject(repo))
      : err(usageError('run-or-repository', `${command}: name a run, or use --repository`)),
};

/** Returns the command that an action belongs to. */
const commandName = (action: ActionName): string =>
  action in commandsOfOthers ? commandsOfOthers[action as keyof typeof commandsOfOthers] : action;

const commandsOfOthers = {
  'switch-agent': 'retry',
  relaunch: 'retry',
  replan: 'resume',
  discard: 'clean',
  'edit-landing': 'edit',
  'post-above': 'post',
  'answer-above': 'answer',
  'record-above': 'record',
  'add-branch-dependency': 'dep',
  'end-branch-dependency': 'dep',
} as const;

/** Adds a pointer to `why` where the refusal itself names no fix. */
function refusal(run: RunId, because: Finding): Outcome {
  const message = describeRefusal(because);
  const see = run === theRepository ? 'board --repository' : `why ${run}`;
  const look = explain(because).fix === undefined ? `; see tidegate ${see}` : '';
  return { ...failure('refused', `refused: ${message}${look}`), data: { run, message } };
}

import { barriersOfRun } from '../../../domain/closure/barriers.ts';
import { describeFinding } from '../../../domain/explain/explain.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { actOn, refuseAgentAction } from '../../frame/act.ts';
import { type Context, command, type Outcome, usageError } from '../../frame/command.ts';
import { resolveWholeRun } from '../../frame/subject.ts';

export const resolveCommand = command({
  name: 'resolve',
  group: 'decide',
  summary: 'let a wave close although a closure role has not approved it',
  arguments: {
    barrier: {
      about: 'run/barrier, or a barrier of the live or newest run',
      required: true,
      shown: 'run/barrier',
      completes: 'runs',
    },
  },
  options: {
    message: {
      short: 'm',
      value: 'text',
      about: 'the reason, which is recorded (default: ask for it on the terminal)',
    },
  },
  help: 'Counts for the present candidate only. If the candidate changes, the role runs again. To list barriers: tidegate why --all',
  changes: ({ barrier, message }, repo, context) => resolve(repo, context, barrier, message),
});

async function resolve(
  repo: RepositoryHandle,
  context: Context,
  typed: string,
  message: string | undefined,
): Promise<Outcome> {
  const [, run, barrier] = /^(?:([^/]+)\/)?([^/]+)$/.exec(typed) ?? [];
  if (barrier === undefined)
    return usageError('bad-barrier', `resolve: ${JSON.stringify(typed)} is not a run/barrier; see tidegate why --all`);
  const subject = await resolveWholeRun(repo, 'resolve', run, 'newest');
  if (!subject.ok) return subject.error;
  const name = `${subject.value.run}/${barrier}`;
  const refusal = refuseAgentAction(repo, 'resolve', `resolve ${name} -m "your reason"`);
  if (refusal !== null) return refusal;
  const reason = message ?? (await askReason(context, subject.value.state, barrier));
  if (reason === undefined || reason.trim() === '')
    return usageError('no-message', `resolve: say why, with -m: tidegate resolve ${name} -m "your reason"`);
  return await actOn(repo, { action: 'resolve', subject: subject.value, input: { barrier, reason } });
}

/** Shows what keeps the wave open, then asks. */
async function askReason(context: Context, state: RunState, barrier: string): Promise<string | undefined> {
  if (!context.terminal.interactive || context.json) return undefined;
  const open = barriersOfRun(state).filter(({ id }) => id === barrier);
  for (const { because } of open) context.terminal.line(`  ${describeFinding(because)}`);
  return (await context.terminal.ask('Why may the wave close anyway?')) ?? undefined;
}

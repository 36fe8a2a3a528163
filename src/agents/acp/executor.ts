import type { Executor, Hook, Launch, LaunchContext } from '../../ports/executor.ts';
import { followAcp } from './conversation.ts';

/** Settings that a known agent needs in addition to the protocol. */
export type AcpAdaptation = Partial<Pick<Launch, 'environment' | 'files'>> & {
  readonly args?: readonly string[];
  /** Sent with each session that is opened, outside the protocol. */
  readonly meta?: object;
  /** Name by which it loads the last session of its home, where the session's own name is not safe to use. */
  readonly lastSession?: string;
  /** Set when it forgets a turn that is cancelled. */
  readonly forgetsCancelledTurns?: true;
  /** True when the text of a failed call means that the agent's own rules refused it. */
  readonly isRefusal?: (text: string) => boolean;
};

/** Makes an executor for an agent that speaks the Agent Client Protocol, version 1, on stdin and stdout. */
export const acpExecutor = (adapt: (context: LaunchContext) => AcpAdaptation, hook: Hook = unusedHook): Executor => ({
  name: 'acp',
  resolve: null,
  prepare(context) {
    const { args = [], environment = {}, files = {} } = adapt(context);
    const always = context.job.agent?.arguments ?? [];
    return { argv: [context.program, ...always, ...args], environment, files, opening: '' };
  },
  follow: (callbacks, context) => followAcp(callbacks, context, adapt(context)),
  hook,
});

/** For agents that ask over the protocol and have no hook: a call that arrives by one is not understood, and so not allowed. */
const unusedHook: Hook = { callIn: () => null, answer: () => ({ stdout: '', exit: 2 }) };

export const plainAcpExecutor = acpExecutor(() => ({}));

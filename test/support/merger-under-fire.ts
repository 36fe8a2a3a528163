import { mergerProcess } from '../../src/adapters/merger-process/index.ts';
import type { MergerContext } from '../../src/merger/order.ts';
import { type Merger, MergerFailed } from '../../src/ports/merger.ts';

const main = new URL('../../dist/main/merger.js', import.meta.url).pathname;

/** `wrapper` is an argv that runs another one, such as strace. */
export const realMerger = (
  context: MergerContext,
  env: Record<string, string> = {},
  wrapper: string[] = [],
): Merger => {
  const [program = process.execPath, ...rest] = [...wrapper, process.execPath, main];
  return mergerProcess({
    command: [program, ...rest],
    stateDir: context.state.root,
    checkout: context.checkout,
    env: { ...context.env, ...env },
  });
};

/** A real merger that is killed at each of these in turn, and asked again as a coordinator would. Counts the deaths. */
export function mergerUnderFire(...failpoints: readonly string[]) {
  const deaths: string[] = [];
  const merger = (context: MergerContext): Merger => {
    const next = () => {
      const point = failpoints[deaths.length];
      return realMerger(context, point === undefined ? {} : { TIDEGATE_FAILPOINT: point });
    };
    let current = next();
    return {
      ask: async (request, epoch) => {
        for (;;) {
          try {
            return await current.ask(request, epoch);
          } catch (error) {
            if (!(error instanceof MergerFailed) || deaths.length > failpoints.length) throw error;
            deaths.push(error.message);
            current = next();
          }
        }
      },
      [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
    };
  };
  return { merger, deaths };
}

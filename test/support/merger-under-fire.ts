import { mergerProcess } from '../../src/adapters/merger-process/index.ts';
import type { Context } from '../../src/merger/context.ts';
import { type Merger, MergerFailed } from '../../src/ports/merger.ts';

const main = new URL('../../dist/main/merger.js', import.meta.url).pathname;

export const realMerger = (context: Context, env: Record<string, string> = {}): Merger =>
  mergerProcess({
    command: [process.execPath, main],
    stateDir: context.state.root,
    checkout: context.checkout,
    env: { ...context.env, ...env },
  });

/** A real merger that is killed at each of these in turn, and asked again as a coordinator would. Counts the deaths. */
export function mergerUnderFire(...failpoints: readonly string[]) {
  const deaths: string[] = [];
  const merger = (context: Context): Merger => {
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

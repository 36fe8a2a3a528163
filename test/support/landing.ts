import { expect } from 'vitest';
import type { TreeId } from '../../src/domain/base/ids.ts';
import { type Edits, run, type Scene, type SceneOptions, scene } from './merger-scene.ts';
import { log } from './plans.ts';

/** A run of one task, merged and ready to land, before the person's `main` has moved. */
export async function readyToLand(
  edits: Edits,
  options: Partial<SceneOptions> & { readonly waves?: SceneOptions['waves'] } = {},
): Promise<Scene> {
  const s = await scene({ waves: [{ a: {} }], ...options });
  await s.open();
  await s.work('a', edits);
  await s.closeRound(0, 0, ['a']);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  return s;
}

export const land = (s: Scene) => s.ask({ do: 'land', run });
export const undo = (s: Scene) => s.ask({ do: 'undo', run, task: null });
/** Every check of the plan, recorded as passed on this tree. */
export const passChecks = (s: Scene, tree: TreeId): Promise<void> =>
  s.append(
    ...s.plan.checks.map(({ name }) => {
      const check = { name, tree, outcome: 'passed', code: 0, log, tail: '' } as const;
      return { type: 'check-ended', purpose: 'undo', check } as const;
    }),
  );
export const runTip = (s: Scene): string => s.bare('rev-parse', `refs/tidegate/runs/${run}`);

/** Everything that git says about a checkout: where it is, what is staged, what differs, what is untracked. */
export function picture(s: Scene, at = s.checkout) {
  const git = (...args: string[]) => s.git('-C', at, ...args);
  return {
    head: git('rev-parse', 'HEAD'),
    branch: git('rev-parse', '--abbrev-ref', 'HEAD'),
    index: git('ls-files', '-s', '-t'),
    status: git('status', '--porcelain', '--ignored', '--untracked-files=all'),
    modes: git('diff', '--raw', 'HEAD'),
    refs: s.git('for-each-ref', '--format=%(refname)', 'refs/tidegate'),
  };
}

/** Landed, and the checkout is exactly what a fresh one of the landed commit would be, but for `others`. */
export function expectClean(s: Scene, commit: string, others = ''): void {
  const seen = picture(s);
  expect({ head: seen.head, status: seen.status, refs: seen.refs }).toEqual({ head: commit, status: others, refs: '' });
}

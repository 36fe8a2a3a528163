import type { Context } from '../../cli/frame/command.ts';
import type { Examine } from '../../cli/frame/ports.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Examined } from '../../ports/repository-handle.ts';

/** What a run asks of the person's git before it starts, by the same functions: a name, working signatures, and what agents will not see. */
export const checkoutExaminations: readonly Examine[] = [identity, signing, checkout];

async function identity(context: Context): Promise<Examined> {
  const { isAuthorKnown } = await import('../../adapters/git/read/index.ts');
  return await inRepository(context, 'identity', async (toplevel) => {
    if (await isAuthorKnown(toplevel, context.env)) return 'git knows your name and address';
    return { state: 'bad', finding: { rule: 'author' } };
  });
}

async function signing(context: Context): Promise<Examined> {
  const { trySigning } = await import('../../adapters/git/read/index.ts');
  return await inRepository(context, 'signing', async (toplevel) => {
    const finding = await trySigning(toplevel, context.env);
    return finding === null ? 'works, or is not asked for' : { state: 'bad', finding };
  });
}

async function checkout(context: Context): Promise<Examined> {
  const [{ gitReader, readCheckoutState }, { uncommittedChanges }] = await Promise.all([
    import('../../adapters/git/read/index.ts'),
    import('../../domain/gates/preflight.ts'),
  ]);
  return await inRepository(context, 'checkout', async (toplevel) => {
    const state = await readCheckoutState(toplevel, context.env, []);
    const { branch } = state;
    if (branch === null) return { state: 'warning', finding: { rule: 'no-base' } };
    if ((await gitReader({ checkout: toplevel, repository: '' }).branchTip(branch)) === null)
      return { state: 'bad', finding: { rule: 'base-missing', branch } };
    const finding = uncommittedChanges(branch, [...state.changed, ...state.untracked], false);
    return finding === null ? 'everything is committed' : { state: 'warning', finding };
  });
}

type Found = string | { readonly state: 'warning' | 'bad'; readonly finding: Finding };

async function inRepository(
  { cwd }: Context,
  name: string,
  examine: (toplevel: string) => Promise<Found>,
): Promise<Examined> {
  const { findRepository } = await import('../../adapters/state-directory/index.ts');
  const repository = await findRepository(cwd);
  if (!repository.ok) return { name, state: 'warning', found: 'is asked of a repository', fix: null };
  const found = await examine(repository.value.toplevel);
  if (typeof found === 'string') return { name, state: 'good', found, fix: null };
  const { detail, fix = null } = explain(found.finding);
  return { name, state: found.state, found: detail, fix };
}

import { shellPath } from '../base/shell-word.ts';

/** Without a plan only what the configuration asks for waits there, and what the one plan of a repository does. */
export const confirmCommand = (plan: string | undefined): string =>
  plan === undefined ? 'tidegate config confirm' : `tidegate config confirm --plan ${shellPath(plan)}`;

import type { Context } from './context.ts';
export const recoverLanding = async (_context: Context): Promise<void> => undefined;

import { stat } from 'node:fs/promises';

/** The path, or something on the way to it, is not there. */
export const isAbsent = (error: unknown): boolean => hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => error.code === code);

/** For `catch`: what is not there is null, anything else is thrown on. */
export const absentAsNull = (error: unknown): null => {
  if (isAbsent(error)) return null;
  throw error;
};

export const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(absentAsNull)) !== null;

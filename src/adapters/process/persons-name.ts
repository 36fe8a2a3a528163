import { homedir, userInfo } from 'node:os';

/**
 * In containers a uid often has no entry in the user database, and then the system gives neither a name nor a home. The name is that of the
 * environment then, or `uid-<number>`.
 */
export const personsName = (env: Readonly<Record<string, string | undefined>>): string =>
  known(() => userInfo().username) ?? (env['USER'] || env['LOGNAME'] || `uid-${process.getuid?.() ?? 0}`);

/** The home of the user who calls; `/` for one who has none. */
export const personsHome = (): string => known(homedir) ?? '/';

function known(look: () => string): string | null {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return null;
  }
}

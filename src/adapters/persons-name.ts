import { userInfo } from 'node:os';

/** The name of the user who calls. In containers a uid often has no entry in the user database: then it is `uid-<number>`. */
export function personsName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return env['USER'] || env['LOGNAME'] || `uid-${process.getuid?.() ?? 0}`;
  }
}

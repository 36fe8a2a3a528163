import { isOpenToAll } from './open-to-all.ts';
import { program } from './project.ts';

const isRoot = process.getuid?.() === 0;

/** An ordinary user, whom file modes hold: whoever runs the tests, or another one than root. */
export const ordinary: { readonly uid: number; readonly gid: number } | undefined = isRoot
  ? { uid: 54321, gid: 54321 }
  : undefined;

/** Whether that user can run this checkout at all. */
export const isReachable = !isRoot || (isOpenToAll(program) && isOpenToAll(process.execPath));

import * as listed from '../commands/list.ts';
import type { Command } from './definition.ts';

/** Every command, in the order of the lines in `commands/list.ts`, which is that of `--help`. */
export const commands: readonly Command[] = Object.values(listed).toSorted((a, b) => a.line - b.line);

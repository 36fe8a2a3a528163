import { execFileSync } from 'node:child_process';

/** The words that a shell makes of a line that a person pastes. */
export const shellWords = (line: string): readonly string[] =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../support/installed.ts';
import type { Driver } from './drivers.ts';

/** The pinned programs of this agent that could not be installed. */
export const missingPrograms = ({ programs }: Driver): readonly string[] =>
  Object.values(programs).filter((pin) => installed(pin).program === null);

/** Puts links to the agents' programs into a directory, for the PATH. */
export function linkPrograms(directory: string, drivers: readonly Driver[]): void {
  mkdirSync(directory, { recursive: true });
  const wanted = Object.assign({}, ...drivers.map(({ programs }) => programs)) as Record<string, string>;
  for (const [name, pin] of Object.entries(wanted)) symlinkSync(programOf(pin), join(directory, name));
}

/** The same program, which first prints lines that no version of it ever had. */
export function garruleProgram(directory: string, { programs }: Driver, lines: readonly string[]): readonly string[] {
  mkdirSync(directory, { recursive: true });
  for (const [name, pin] of Object.entries(programs)) {
    const said = lines.map((line) => `printf '%s\\n' '${line}'`).join('\n');
    const text = `#!/bin/sh\n[ "$1" = --version ] || { ${said}\n}\nexec '${programOf(pin)}' "$@"\n`;
    writeFileSync(join(directory, name), text, { mode: 0o755 });
  }
  return Object.values(programs).map((pin) => installed(pin).directory);
}

function programOf(pin: string): string {
  const { program } = installed(pin);
  if (program === null) throw new Error(`${pin} is not installed`);
  return program;
}

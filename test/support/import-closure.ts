import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

/** The source of a module as it runs: without types, type imports and comments. */
export const runtimeSource = (file: string): string =>
  stripTypeScriptTypes(readFileSync(file, 'utf8'), { mode: 'strip' })
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ');

/** All modules of ours that these load at run time, themselves included, in the order of their names. */
export function importClosure(...files: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, clause = '', path = ''] of runtimeSource(file).matchAll(
      /(?:import|export) ([^;'"]*) from '(\.[^']+)'/g,
    ))
      if (!isTypesOnly(clause)) visit(join(dirname(file), path));
  };
  files.forEach(visit);
  return [...seen].toSorted();
}

/** `stripTypeScriptTypes` blanks `type` members and leaves the braces. */
const isTypesOnly = (clause: string): boolean => clause.startsWith('{') && clause.replaceAll(/[{},\s]/g, '') === '';

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'rolldown/utils';

/** Writes every module of src/ without its types, as a file of its own. Types are checked by `npm run check`. */
export function writeModules(checkout: string, directory: string): void {
  const paths = globSync('**/*.{ts,tsx}', { cwd: join(checkout, 'src') });
  for (const path of paths.filter((name) => !/\.test\.tsx?$/.test(name))) {
    const { code, errors } = transformSync(path, readFileSync(join(checkout, 'src', path), 'utf8'), {
      typescript: { rewriteImportExtensions: 'rewrite' },
    });
    if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
    const file = join(directory, path.replace(/\.tsx?$/, '.js'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}

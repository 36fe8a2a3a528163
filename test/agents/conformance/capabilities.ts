// Puts the table of what each agent showed into docs/agents.md:
//
//   node test/agents/conformance/capabilities.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { drivers } from './drivers.ts';

const results = z.object({ program: z.string(), cells: z.record(z.string(), z.string()) });
type Results = z.infer<typeof results>;

const docs = join(import.meta.dirname, '../../../docs/agents.md');
const [begin, end] = ['<!-- made from test/agents/conformance/results -->', '<!-- end -->'];

/** The document as it should be. */
export function withTable(text: string, found: Readonly<Record<string, Results>>): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/agents.md has no ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${tableOf(found)}\n${text.slice(to)}`;
}

export const readDocs = (): string => readFileSync(docs, 'utf8');

/** In the order of the drivers; agents that were never shown are left out. */
export function readResults(): Readonly<Record<string, Results>> {
  const directory = join(import.meta.dirname, 'results');
  const files = drivers.map(({ name }) => [name, join(directory, `${name}.json`)] as const);
  return Object.fromEntries(
    files
      .filter(([, file]) => existsSync(file))
      .map(([name, file]) => [name, results.parse(JSON.parse(readFileSync(file, 'utf8')))]),
  );
}

function tableOf(found: Readonly<Record<string, Results>>): string {
  const agents = Object.entries(found);
  const rows = [...new Set(agents.flatMap(([, { cells }]) => Object.keys(cells)))];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [
    line(['', ...agents.map(([name]) => name)]),
    line(agents.map(() => '---').concat('---')),
    line(['program', ...agents.map(([, { program }]) => program)]),
    ...rows.map((row) => line([row, ...agents.map(([, { cells }]) => cells[row] ?? 'not shown')])),
  ].join('');
}

if (import.meta.main) writeFileSync(docs, withTable(readDocs(), readResults()));

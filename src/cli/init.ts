import { join } from 'node:path';
import type { Result } from '../domain/result.ts';
import type { Text } from '../ports/terminal.ts';
import { done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { configText, type ProjectFacts, planText } from './init-files.ts';

export type InitPorts = {
  find(directory: string): Promise<Result<{ readonly toplevel: string }, string>>;
  detect(directory: string): Promise<ProjectFacts>;
  write(path: string, text: string, how: { replace: boolean }): Promise<'written' | 'replaced' | 'exists'>;
};

/** `tidegate init`: a configuration with what was detected, and a plan that runs as it stands. */
export const init =
  (ports: InitPorts): Register =>
  (command, does, context) => {
    command
      .option('--force', 'replace files that exist; the old ones are kept as <name>.old')
      .action(does((options: { force?: boolean }) => writeFiles(ports, context.cwd, options.force === true)));
  };

async function writeFiles(ports: InitPorts, cwd: string, force: boolean): Promise<Outcome> {
  const repository = await ports.find(cwd);
  if (!repository.ok) return misused('no-repository', repository.error);
  const { toplevel } = repository.value;
  const project = await ports.detect(toplevel);
  const files = [
    { name: 'tidegate.yaml', text: configText(project) },
    { name: 'tidegate.plan.yaml', text: planText },
  ];
  const written: { name: string; outcome: 'written' | 'replaced' | 'exists' }[] = [];
  for (const { name, text } of files) {
    written.push({ name, outcome: await ports.write(join(toplevel, name), text, { replace: force }) });
  }
  const lines: Text[] = written.map(({ name, outcome }) => [
    { text: outcome.padEnd(9), tone: outcome === 'exists' ? 'waiting' : 'good' },
    outcome === 'replaced' ? `${name}, the old one is ${name}.old` : name,
  ]);
  const data = { files: written, detected: project };
  if (written.every(({ outcome }) => outcome === 'exists')) {
    const problems = ['tidegate: init: both files exist and are left alone; --force replaces them'];
    return { exit: exitCodes.usage, reason: 'exists', lines, data, problems };
  }
  return done([...lines, '', 'Next: tidegate doctor, then tidegate lint, then tidegate run'], data);
}

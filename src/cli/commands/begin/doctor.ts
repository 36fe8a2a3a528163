import { agentKinds } from '../../../agents/agents.ts';
import { installAgent, noAgentLines } from '../../../domain/explain/text.ts';
import type { Examined } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { command, exitCodes, type Outcome } from '../../frame/command.ts';

export const doctorCommand = command({
  name: 'doctor',
  group: 'begin',
  summary: 'check this machine: git, fence, state directory, Node, agents',
  run: async (_input, context, { ports }) => {
    const examined: Examined[] = [];
    for (const examine of await ports.examinations()) examined.push(await examine(context));
    return summary(examined);
  },
});

function summary(examined: readonly Examined[]): Outcome {
  const bad = examined.filter(({ state }) => state === 'bad');
  const needs = bad.map(({ name, found, fix }) => ({
    kind: 'machine',
    task: null,
    message: `${name}: ${found}`,
    command: fix ?? '',
  }));
  const closing = bad.length === 0 ? readiness(examined) : [`Fix ${bad.length} of ${examined.length} before a run.`];
  const lines = [...examined.flatMap(examinationLines), ...closing];
  return {
    exit: bad.length === 0 ? exitCodes.done : exitCodes.failed,
    reason: bad.length === 0 ? 'done' : 'machine-unfit',
    data: { examined, needs },
    lines,
  };
}

/** A machine without an agent is ready only for plans whose agent is a command, so the closing line says what is missing. */
function readiness(examined: readonly Examined[]): readonly string[] {
  const agents = examined.filter(({ name }) => Object.hasOwn(agentKinds, name));
  if (agents.length === 0 || agents.some(({ state }) => state === 'good')) return ['Ready.'];
  const fixes = agents.flatMap(({ fix }) => fix ?? []);
  return noAgentLines(fixes.length === 0 ? [installAgent] : fixes, 'tidegate doctor');
}

export function examinationLines({ name, state, found, fix, lines = [], shows = [] }: Examined): readonly Text[] {
  const mark = { good: 'ok', warning: 'note', bad: 'bad' }[state];
  const tone = ({ good: 'good', warning: 'waiting', bad: 'bad' } as const)[state];
  const main: Text = [{ text: mark.padEnd(5), tone }, `${name.padEnd(17)} ${found.replaceAll('\n', '; ')}`];
  const below = ' '.repeat(23);
  return [
    main,
    ...(fix === null ? [] : fix.split('\n').map((line) => `${below}${line}`)),
    ...[...shows.map(({ path, because }) => `${path}   ${because}`), ...lines].map(
      (line): Text => [{ text: `${below}| ${line}`, tone: 'dim' }],
    ),
  ];
}

import { usualNetwork } from '../agents/agents.ts';
import { explain } from '../domain/explain/explain.ts';
import type { Explained } from '../domain/explain/sentence.ts';
import { waveName } from '../domain/explain/text.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { titleOf } from '../domain/plan/commit-subject.ts';
import {
  agentsIn,
  type Check,
  closureOf,
  type FrozenPlan,
  isRatchet,
  type PlannedOrchestrator,
  type PlannedResolver,
  type PlannedTask,
} from '../domain/plan/plan.ts';
import type { RunState } from '../domain/run/run.ts';
import { selectedWaves } from '../domain/run/run.ts';
import { isResolved, type TaskState } from '../domain/run/task.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { roleScope } from './role-text.ts';

/** Shown wherever a person decides about a plan without checks. */
export const uncheckedText = 'none: the result is not tested before it lands';

/** `definitions`: also the files that define checks, closure roles and the resolver. */
type PlanViewOptions = { readonly definitions?: boolean };

/** The plan that a person approves: its hash, every scope, the fence, and warnings. */
export function planView(
  state: RunState,
  warnings: readonly Finding[] = [],
  options: PlanViewOptions = {},
): readonly Text[] {
  const { plan } = state;
  return [
    [{ text: plan.name, tone: 'strong' }, ` onto ${plan.base}, plan ${state.hash.slice(0, 12)}`],
    ...selectedWaves(state).flatMap((wave) => waveLines(state, wave.index, options)),
    '',
    fenceLine(plan),
    ...(plan.setup === null
      ? []
      : [
          `setup   ${plan.setup}${plan.setupInputs === undefined ? '' : ` (depends on ${plan.setupInputs.join(', ')})`}`,
        ]),
    ...(plan.checks.length === 0
      ? [[{ text: 'check   ', tone: 'waiting' as const }, uncheckedText]]
      : plan.checks.flatMap((check) => [
          `check   ${check.name}: ${check.run}${policyText(check)}`,
          ...(options.definitions === true ? definitionLines(check) : []),
        ])),
    ...(plan.resolver === undefined
      ? []
      : [
          `resolve ${resolverText(plan.resolver)}: starts without you for a conflict or a broken check, once for each, within the paths and the budget of the task`,
          ...(options.definitions === true ? definitionLines(plan.resolver) : []),
        ]),
    ...(plan.orchestrator === undefined ? [] : [orchestratorText(plan.orchestrator)]),
    ...(plan.focus === undefined ? [] : [`focus   ${plan.focus.replaceAll(/\s+/g, ' ')}`]),
    `land    ${landTexts[plan.land]}`,
    ...warnings.map((warning): Text => [{ text: 'note    ', tone: 'waiting' }, findingText(explain(warning))]),
  ];
}

/** The policy of a check; empty for one that has to pass. */
export const policyText = (check: Pick<Check, 'policy' | 'parse'>): string =>
  isRatchet(check)
    ? ` (ratchet: no worse than the base${check.parse === undefined ? '; without parse, you decide when it stays red' : ''})`
    : '';

const resolverText = ({ agent, command }: PlannedResolver): string =>
  command === null ? agent.join(', else ') : command.join(' ');

const orchestratorText = ({ agent, command, usd, minutes }: PlannedOrchestrator): string =>
  `guide   ${command === null ? agent : command.join(' ')}, may post guidance while tasks run; at most ${agent === 'command' ? '' : `$${usd} and `}${minutes} minutes`;

/** The files that decide what a check, a closure role or the resolver does. */
export const definitionLines = ({ definitions = [] }: Pick<Check, 'definitions'>): readonly Text[] =>
  definitions.map(({ path, keys }): Text => {
    const only = keys === undefined ? '' : `: ${keys.join(', ')}`;
    return [{ text: `          defined by ${path}${only}`, tone: 'dim' }];
  });

function waveLines({ plan, tasks: states }: RunState, index: number, options: PlanViewOptions): readonly Text[] {
  const wave = plan.waves[index];
  if (wave === undefined) return [];
  const width = Math.min(24, Math.max(...wave.tasks.map((task) => task.id.length)));
  const tasks = inOrder(wave.tasks).flatMap((task, at): readonly Text[] => [
    [...taskLine(task, at + 1, width), settledText(states[task.id])],
    ...titleLine(task),
  ]);
  const title: Text = [{ text: waveName(index, wave.name), tone: 'strong' }];
  return ['', title, ...tasks, ...sharedLine(wave.tasks), ...roleLines(plan, index, { width, ...options })];
}

/** The closure roles of a wave, in the order in which they run. */
export function roleLines(
  plan: FrozenPlan,
  wave: number,
  { width = 0, definitions = false }: PlanViewOptions & { readonly width?: number } = {},
): readonly Text[] {
  const roles = closureOf(plan, wave);
  if (roles.length === 0) return [];
  const most = Math.max(width, ...roles.map(({ id }) => id.length));
  return [
    [{ text: '  before it closes:', tone: 'dim' }],
    ...roles.flatMap((role): readonly Text[] => [
      [`      ${role.id.padEnd(most)}  `, ...roleScope({ plan }, role.id)],
      ...(definitions ? definitionLines(role) : []),
    ]),
  ];
}

function titleLine(task: PlannedTask): readonly Text[] {
  const title = titleOf(task);
  return title === task.id ? [] : [[{ text: `      ${title}`, tone: 'dim' }]];
}

/** Tasks without `owns` are kept apart only when they are merged. */
function sharedLine(tasks: readonly PlannedTask[]): readonly Text[] {
  const open = tasks.filter((task) => task.owns === null);
  if (open.length < 2) return [];
  const text = 'tasks that own whatever no other task claims may change the same files; you decide about conflicts';
  return [[{ text: `      ${text}`, tone: 'dim' }]];
}

const taskLine = (task: PlannedTask, at: number, width: number): readonly (string | Span)[] => [
  `  ${String(at).padStart(2)}  ${task.id.padEnd(width)}  `,
  scopeText(task),
  { text: task.agent[0] === 'command' ? '' : `  by ${task.agent.join(', else ')}`, tone: 'dim' },
  { text: task.needs.length === 0 ? '' : `  after ${task.needs.join(', ')}`, tone: 'dim' },
];

/** Marks tasks that a new version of the plan does not start again. */
const settledText = (task: TaskState | undefined): string | Span =>
  task !== undefined && isResolved(task) ? { text: `  already ${task.progress.status}`, tone: 'dim' } : '';

function scopeText(task: PlannedTask): string {
  const shares = task.shares.length === 0 ? '' : ` shares ${task.shares.join(' ')}`;
  if (task.owns === null) return `owns whatever no other task claims${shares}`;
  return task.owns.length === 0 ? 'read-only' : `owns ${task.owns.join(' ')}${shares}`;
}

/** Sorts the tasks of a wave so that each comes after the tasks that it needs. */
function inOrder(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const placed = new Set<PlannedTask>();
  const place = (task: PlannedTask): void => {
    for (const need of tasks.filter((other) => task.needs.includes(other.id) && !placed.has(other))) place(need);
    placed.add(task);
  };
  for (const task of tasks) place(task);
  return [...placed];
}

function fenceLine(plan: FrozenPlan): Text {
  const { fence } = plan;
  if (fence.mode === 'none') return ['fence   ', { text: 'NONE: agents run with all your permissions', tone: 'bad' }];
  const extra = [
    ...(fence.read.length === 0 ? [] : [`reads ${fence.read.join(' ')}`]),
    ...(fence.write.length === 0 ? [] : [`writes ${fence.write.join(' ')}`]),
    ...(fence.env.length === 0 ? [] : [`sees ${fence.env.join(' ')}`]),
  ];
  return `fence   bubblewrap, network ${networkText(plan)}${extra.length === 0 ? '' : `; ${extra.join('; ')}`}`;
}

function networkText(plan: FrozenPlan): string {
  const { network } = plan.fence;
  if (network !== null) return typeof network === 'string' ? network : network.join(' ');
  const usual = new Set(agentsIn(plan).map(usualNetwork));
  if (!usual.has('on')) return 'off';
  return usual.has('off') ? 'on for agents, off for commands and checks' : 'on for agents, off for checks';
}

const landTexts: Record<FrozenPlan['land'], string> = {
  ask: 'asks before the branch moves',
  auto: 'moves the branch without asking, after all checks pass',
  branch: 'leaves the result on a separate branch',
  pr: 'pushes a branch and opens a pull request; your branch does not move',
  wave: 'moves the branch after every wave',
};

export const findingText = ({ where, detail, fix }: Explained): string =>
  `${where === undefined ? '' : `${where}: `}${detail}${fix === undefined ? '' : `; ${fix}`}`;

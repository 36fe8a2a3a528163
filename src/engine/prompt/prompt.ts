import { countsTurns } from '../../agents/agents.ts';
import { handoffCommands } from '../../domain/agents/handoff-commands.ts';
import { providerOf } from '../../domain/agents/provider-pause.ts';
import { attemptId, type TaskId } from '../../domain/base/ids.ts';
import { exitParts, requiredLevels } from '../../domain/closure/exit-contract.ts';
import type { ClosureRole } from '../../domain/closure/roles.ts';
import { type DerivedTask, plannedIn } from '../../domain/derived/derived-tasks.ts';
import { clauseTexts } from '../../domain/explain/text.ts';
import { charactersPerToken, ownWords, promptTokens, roleText } from '../../domain/plan/directive.ts';
import { type FrozenPlan, isReadOnly, type PlannedTask } from '../../domain/plan/plan.ts';
import { foldRun, type Recorded, type RunState } from '../../domain/run/run.ts';
import { type Attempt, agentOf, attemptOf } from '../../domain/run/task.ts';
import type { GitReader } from '../../ports/merger.ts';
import { briefsSection, droppedSection, repairSection, reportsSection } from './resolver-sections.ts';
import {
  docsSection,
  passedChecksSection,
  reportSection,
  roleScopeSection,
  roleTitle,
  subjectsSection,
  workSection,
} from './role-sections.ts';
import {
  beforeSection,
  type FilesInScope,
  filesInScope,
  filesSection,
  fitSections,
  inboxSection,
  peopleSection,
  type Quotes,
  quotesFor,
  resultsSection,
  type Section,
  scopeSection,
  sectionOf,
  skillsSection,
  waveSection,
} from './sections.ts';

/** Returns the prompt of an attempt. Reads the repository at a commit, so the same state and attempt give the same prompt. */
export async function promptOf(
  git: Pick<GitReader, 'files' | 'diff'>,
  state: RunState,
  id: TaskId,
  attempt: Attempt,
): Promise<string> {
  const task = plannedIn(state, id);
  if (task === undefined) throw new Error(`${id} is not in the plan`);
  return buildPrompt({ state, task, attempt, files: await filesInScope(git, state, task, attempt) });
}

/** Returns the run as it was when an attempt was intended, so that the prompt does not depend on the time of the call. */
export function asIntended(
  stored: readonly Recorded[],
  now: RunState,
  id: string,
): { readonly state: RunState; readonly task: TaskId; readonly attempt: Attempt } {
  const at = stored.findLastIndex(({ event }) => event.type === 'attempt-intended' && event.attempt === id);
  const intended = stored[at]?.event;
  const state = at === stored.length - 1 ? now : foldRun(stored.slice(0, at + 1));
  const task = intended?.type === 'attempt-intended' ? state?.tasks[intended.task] : undefined;
  const attempt = task === undefined ? null : attemptOf(task);
  if (state === null || task === undefined || attempt === null) throw new Error(`${id} was never intended`);
  return { state, task: task.id, attempt };
}

/** Returns the attempt that a waiting task would get now; null when the task is not waiting. */
export function nextAttempt(state: RunState, id: TaskId): Attempt | null {
  const task = state.tasks[id];
  const base = task?.base ?? state.branch?.commit ?? state.target.commit;
  if (task?.progress.status !== 'waiting') return null;
  const { from, message, findings, after, session } = task.progress.next;
  const number = task.launches + 1;
  return {
    id: attemptId(state.run, id, number),
    number,
    nonce: '<nonce>',
    base,
    from: from === 'base' ? base : from,
    agent: agentOf(task),
    provider: providerOf(task),
    session,
    message,
    findings,
    after,
  };
}

/** `state` is the run as it was when the attempt was intended. */
export type PromptSubject = {
  readonly state: RunState;
  readonly task: PlannedTask;
  readonly attempt: Attempt;
  readonly files: FilesInScope;
};

/**
 * Builds the prompt of one attempt, the same for every kind of agent. Other tasks appear only by their handoffs. A prompt that is too
 * long loses help, never rules.
 */
export function buildPrompt(subject: PromptSubject, characters = promptCharacters): string {
  const { state, task, attempt, files } = subject;
  const { plan } = state;
  if (task.closes !== undefined) return buildRolePrompt(subject, task.closes, characters);
  const derived = state.derived?.[task.id];
  if (derived !== undefined) return buildResolverPrompt(subject, derived, characters);
  const quotes = quotesFor(attempt.nonce);
  const listing = filesSection(task, files);
  const rules = rulesSection(plan);
  const checks = checksSection(plan, task);
  const duty = roleText(task.role, isReadOnly(task));
  const role: Section = { text: `## Your role: ${task.role}\n\n${duty}`, cut: () => '' };
  const results = resultsSection(state, task, quotes);
  const before = beforeSection(attempt, quotes);
  const skills = skillsSection(task);
  const board = boardSections(state, task, quotes);
  const sections: readonly Section[] = [
    { text: `# Task ${task.id}\n\n${ownWords(task.directive, plan.forbid)}` },
    { text: plan.focus === undefined ? '' : `## Focus of this run\n\n${plan.focus}` },
    skills,
    { text: scopeSection(state, task) },
    listing,
    { text: acceptanceSection(task) },
    { text: mergeGateSection(task) },
    rules,
    checks,
    { text: limitsSection(state, attempt.agent) },
    role,
    ...board.all,
    results,
    before,
    { text: handoffSection(task, attempt.nonce) },
  ];
  const inTurn = [listing, results, board.wave, board.inbox, role, board.people, before, skills, rules, checks];
  return fitSections(sections, inTurn, characters);
}

/** Builds the prompt of a closure role: the work of the wave instead of a task, and how to report. */
function buildRolePrompt({ state, task, attempt }: PromptSubject, role: ClosureRole, characters: number): string {
  const { plan } = state;
  const quotes = quotesFor(attempt.nonce);
  const work = workSection(state, task, attempt, quotes);
  const rules = rulesSection(plan);
  const checks = passedChecksSection(state);
  const board = boardSections(state, task, quotes);
  const before = beforeSection(attempt, quotes);
  const sections: readonly Section[] = [
    { text: roleTitle(state, task, ownWords(task.directive, plan.forbid)) },
    { text: plan.focus === undefined ? '' : `## Focus of this run\n\n${plan.focus}` },
    work,
    checks,
    { text: subjectsSection(task) },
    { text: docsSection(state, task) },
    { text: roleScopeSection(state, task) },
    { text: mergeGateSection(task) },
    rules,
    { text: limitsSection(state, attempt.agent, 'report') },
    ...board.all,
    before,
    { text: reportSection(role, attempt.nonce) },
  ];
  return fitSections(sections, [...board.inTurn, work, before, rules, checks], characters);
}

/** Builds the prompt of a resolver: both sides instead of a task. */
function buildResolverPrompt(
  { state, task, attempt }: PromptSubject,
  derived: DerivedTask,
  characters: number,
): string {
  const { plan } = state;
  const quotes = quotesFor(attempt.nonce);
  const briefs = briefsSection(state, derived);
  const reports = reportsSection(state, derived, quotes);
  const rules = rulesSection(plan);
  const checks = checksSection(plan, task);
  const board = boardSections(state, task, quotes);
  const before = beforeSection(attempt, quotes);
  const sections: readonly Section[] = [
    { text: repairSection(state, derived) },
    { text: plan.focus === undefined ? '' : `## Focus of this run\n\n${plan.focus}` },
    briefs,
    { text: scopeSection(state, task) },
    { text: mergeGateSection(task) },
    rules,
    checks,
    { text: limitsSection(state, attempt.agent) },
    ...board.all,
    reports,
    before,
    { text: `${handoffSection(task, attempt.nonce)}\n\n${droppedSection}` },
  ];
  return fitSections(sections, [...board.inTurn, reports, briefs, before, rules, checks], characters);
}

/** How to reach people and other tasks, what is open in the wave, and what was written to the task. `inTurn`: the order of cutting. */
function boardSections(state: RunState, task: PlannedTask, quotes: Quotes) {
  const people = peopleSection();
  const wave = waveSection(state, task, quotes);
  const inbox = inboxSection(state, task, quotes);
  return { people, wave, inbox, all: [people, wave, inbox], inTurn: [wave, inbox, people] };
}

/** Prohibitions are among the rules. */
const mergeGateSection = ({ directive }: PlannedTask): string =>
  clauseTexts(
    directive.clauses.filter((clause) => clause !== 'forbid'),
    [],
  ).join('');

export const promptCharacters = promptTokens * charactersPerToken;

/** Lists what code verifies, besides what the directive says. */
function acceptanceSection(task: PlannedTask): string {
  const required = requiredLevels(task.exit);
  const contracted = required.map(({ part }) => part);
  const exit = exitParts.filter((part) => task.exit[part] !== null && !contracted.includes(part));
  const isRead = isReadOnly(task);
  const lines = [
    ...task.deliverables.map((pattern) => `- \`${pattern}\` must exist when you finish.`),
    ...(task.drafts === undefined
      ? []
      : [`- \`${task.drafts}\` must be a plan that \`tidegate run\` accepts: it is read when you finish.`]),
    ...task.proofs.map((proof) => `- Required proof: ${proof}. Name it in your handoff (\`--proof\`).`),
    ...exit.map((part) => `- Expected ${part}: ${task.exit[part]}.`),
    ...(task.artifacts ?? []).map(
      ({ path, kind }) =>
        `- Leave the proof \`${path}\`${kind === undefined ? '' : ` (${kind})`}: write it in this attempt, for the files as you hand them off. It is kept even if git ignores it.`,
    ),
    ...required.map(({ part, level }) => `- Reach ${part} \`${level}\` and claim it: \`--claim ${part}=${level}\`.`),
    ...(required.length === 0
      ? []
      : ['- Claim only what is true. If you miss a level, claim `state=gap`, or hand off `partial`.']),
    ...(isRead ? ['- Your handoff holds everything that others need to know: they get nothing else from you.'] : []),
    ...(isRead || task.allowEmpty ? [] : ['- At least one file in your scope has changed.']),
  ];
  return lines.length === 0 ? '' : ['## Acceptance', '', 'Besides what the task says:', ...lines].join('\n');
}

function rulesSection({ forbid, block = [] }: FrozenPlan): Section {
  return sectionOf({
    head: '## Rules\n\n- Follow the instructions of the project: AGENTS.md, CLAUDE.md, CONTRIBUTING.md.',
    items: [
      ...forbid.map((rule) => `- Never: ${oneLine(rule)}`),
      ...block.map((words) => `- Denied: commands like \`${oneLine(words)}\``),
    ],
    foot: (left) => (left === 0 ? '' : `- And ${left} more, which you learn about when you try.`),
  });
}

function checksSection({ checks }: FrozenPlan, task: PlannedTask): Section {
  if (isReadOnly(task)) return { text: '' };
  const alone = 'Cover your changes with tests, and run the tests of the project before you hand off.';
  if (checks.length === 0) return { text: `## Tests\n\n${alone}`, cut: () => '' };
  return sectionOf({
    head: '## Checks\n\nThese run on your work together with that of others, which is merged only if they pass. Run them before you hand off:',
    items: checks.map(({ name, run, minutes }) => `- ${name} (${minutes} min):${command(run)}`),
    foot: (left) => (left === 0 ? '' : `- and ${left} more`),
  });
}

const command = (run: string): string =>
  /[\n`]/.test(run.trim()) ? run.trim().replaceAll(/^/gm, '      ').replace(/^/, '\n') : ` \`${run.trim()}\``;

function limitsSection({ plan: { limits }, history }: RunState, agent: string, end = 'handoff'): string {
  return [
    '## Limits',
    '',
    `- ${limits.minutes} minutes in total, and ${limits.silence} without output.`,
    ...(limits.turns === null || !countsTurns(agent) ? [] : [`- ${limits.turns} turns.`]),
    ...(limits.files === null ? [] : [`- At most ${limits.files} changed files.`]),
    ...(history === undefined ? [] : [`- The workspace has only the newest ${history} commits.`]),
    '',
    `At a limit you are stopped. The workspace is kept, but only a ${end} in time counts.`,
  ].join('\n');
}

function handoffSection(task: PlannedTask, nonce: string): string {
  const claims = requiredLevels(task.exit).map(({ part, level }) => [part, level]);
  const done = claims.length === 0 ? handoffCommands : claimed(claims);
  const inFile = claims.length === 0 ? '' : `, "claims": ${JSON.stringify(Object.fromEntries(claims))}`;
  const what = isReadOnly(task) ? 'Hand off your results' : 'Hand off';
  return `## When you finish

${what} with one of these commands, then exit:

${done}

Use \`partial\` and \`failed\` when they are the truth. If the command is missing, write .tidegate/handoff.json with "status",
"summary" and "nonce": "${nonce}"${inFile}. Without a handoff, your work does not count as done.`;
}

/** The commands, with the levels of the contract in the first one. */
const claimed = (claims: readonly (readonly string[])[]): string =>
  handoffCommands.replace('"what you did"', `$& ${claims.map((claim) => `--claim ${claim.join('=')}`).join(' ')}`);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

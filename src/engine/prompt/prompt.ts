import { countsTurns } from '../../domain/agents/agents.ts';
import { handoffCommands } from '../../domain/agents/handoff-commands.ts';
import { clauseTexts } from '../../domain/explain/clauses.ts';
import { charactersPerToken, ownWords, promptTokens } from '../../domain/plan/directive.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import { roleText } from '../../domain/plan/role-words.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Attempt } from '../../domain/run/task.ts';
import { beforeSection } from './before-section.ts';
import { boardSection } from './board-section.ts';
import { cutList, fitSections, type List, type Section, wholeList } from './budget.ts';
import { type FilesInScope, filesSection } from './files-section.ts';
import { quotesFor } from './quoted.ts';
import { resultsSection } from './results-section.ts';
import { scopeSection } from './scope-section.ts';
import { skillsSection } from './skills-section.ts';

/** `state`: the run as it was when the attempt was intended. */
export type PromptSubject = {
  readonly state: RunState;
  readonly task: PlannedTask;
  readonly attempt: Attempt;
  readonly files: FilesInScope;
};

/**
 * The prompt of one attempt: all that its agent is told, whatever kind of agent it is. Other tasks appear only by what
 * they handed off. When it is too long, what helps is cut and what binds is not.
 */
export function buildPrompt({ state, task, attempt, files }: PromptSubject, characters = promptCharacters): string {
  const { plan } = state;
  const quotes = quotesFor(attempt.nonce);
  const listing = filesSection(task, files);
  const rules = rulesSection(plan);
  const checks = checksSection(plan, task);
  const duty = roleText(task.role, task.owns?.length === 0);
  const role: Section = { text: `## Your role: ${task.role}\n\n${duty}`, cut: () => '' };
  const results = resultsSection(state, task, quotes);
  const before = beforeSection(attempt, quotes);
  const skills = skillsSection(task);
  const mail = boardSection(state, task, quotes);
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
    mail,
    results,
    before,
    { text: handoffSection(task, attempt.nonce) },
  ];
  const inTurn = [listing, results, role, mail, before, skills, rules, checks];
  return fitSections(sections, inTurn, characters);
}

/** What is forbidden stands among the rules. */
const mergeGateSection = ({ directive }: PlannedTask): string =>
  clauseTexts(
    directive.clauses.filter((clause) => clause === 'merge-gate'),
    [],
  ).join('');

export const promptCharacters = promptTokens * charactersPerToken;

/** What code looks at, beside what the directive says. */
function acceptanceSection(task: PlannedTask): string {
  const { completion, durability, proof, docs } = task.exit;
  const exit = Object.entries({ completion, durability, proof, docs }).filter(([, value]) => value !== null);
  const isReadOnly = task.owns?.length === 0;
  const lines = [
    ...task.deliverables.map((pattern) => `- \`${pattern}\` has to be there when you are through.`),
    ...(task.drafts === undefined
      ? []
      : [`- \`${task.drafts}\` is a plan that \`tidegate run\` takes: it is read when you are through.`]),
    ...task.proofs.map((proof) => `- Proof asked for: ${proof}. Name it in your handoff (\`--proof\`).`),
    ...exit.map(([name, value]) => `- Expected ${name}: ${value}.`),
    ...(isReadOnly ? ['- Everything that others need to know is in your handoff: they get nothing else of you.'] : []),
    ...(isReadOnly || task.allowEmpty ? [] : ['- At least one file in your scope has changed.']),
  ];
  return lines.length === 0 ? '' : ['## Acceptance', '', 'What the task asks for, and:', ...lines].join('\n');
}

function rulesSection({ forbid, block = [] }: FrozenPlan): Section {
  const list: List = {
    head: '## Rules\n\n- Follow what the project says of itself: AGENTS.md, CLAUDE.md, CONTRIBUTING.md.',
    items: [
      ...forbid.map((rule) => `- Never: ${oneLine(rule)}`),
      ...block.map((words) => `- Denied: commands like \`${oneLine(words)}\``),
    ],
    foot: (left) => (left === 0 ? '' : `- And ${left} more, which you are told of when you try.`),
  };
  return { text: wholeList(list), cut: (room) => cutList(list, room) };
}

function checksSection({ checks }: FrozenPlan, task: PlannedTask): Section {
  if (task.owns?.length === 0) return { text: '' };
  const alone = 'Cover what you change with tests, and run those that the project has, before you hand off.';
  if (checks.length === 0) return { text: `## Tests\n\n${alone}`, cut: () => '' };
  const list: List = {
    head: '## Checks\n\nThese run on your work, together with the rest, and it is merged only if they pass. Run them before you hand off:',
    items: checks.map(({ name, run, minutes }) => `- ${name} (${minutes} min):${command(run)}`),
    foot: (left) => (left === 0 ? '' : `- and ${left} more`),
  };
  return { text: wholeList(list), cut: (room) => cutList(list, room) };
}

const command = (run: string): string =>
  /[\n`]/.test(run.trim()) ? run.trim().replaceAll(/^/gm, '      ').replace(/^/, '\n') : ` \`${run.trim()}\``;

function limitsSection({ plan: { limits }, history }: RunState, agent: string): string {
  return [
    '## Limits',
    '',
    `- ${limits.minutes} minutes in all, and ${limits.silence} without a sign of life.`,
    ...(limits.turns === null || !countsTurns(agent) ? [] : [`- ${limits.turns} turns.`]),
    ...(limits.files === null ? [] : [`- At most ${limits.files} changed files.`]),
    ...(history === undefined ? [] : [`- The workspace has only the newest ${history} commits.`]),
    '',
    'Then you are stopped. What is in the workspace is kept, but only a handoff in time counts.',
  ].join('\n');
}

function handoffSection(task: PlannedTask, nonce: string): string {
  const what = task.owns?.length === 0 ? 'Hand off what you found out' : 'Hand off';
  return `## When you are through

${what} with one of these commands, and end:

${handoffCommands}

Use \`partial\` and \`failed\` when they are the truth. Without the command, write .tidegate/handoff.json with "status",
"summary" and "nonce": "${nonce}". Without a handoff nothing of this counts as done.`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

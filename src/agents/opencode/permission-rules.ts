import { relative } from 'node:path';
import { grantPattern } from '../../domain/scope/claims.ts';
import { agentSteering } from '../../domain/scope/steering.ts';
import type { ToolScope } from '../../domain/tool-calls/tool-scope.ts';
import type { LaunchContext } from '../../ports/executor.ts';

type Action = 'allow' | 'deny' | 'ask';
type Rules = Readonly<Record<string, Action>>;
type Permissions = Readonly<Record<string, Action | Rules>>;

/**
 * Translates the task's scope into opencode's rules, where the last rule that matches counts and `*` matches anything, slashes included.
 * Our patterns are finer: permissions may come out wider, denials never do. An `ask` that nobody answers ends the agent's turn, so calls
 * that opencode would ask about are allowed by name.
 */
export function permissionRules(context: LaunchContext): Permissions {
  const { agent, fence } = context.job;
  if (agent === null) return {};
  const scratch = ['/tmp', '/var/tmp', context.home, ...fence.write];
  return {
    edit: editRules(
      agent.scope,
      scratch.map((path) => relative(context.workspace, path)),
    ),
    bash: { '*': 'allow', ...commandRules(agent.scope) },
    external_directory: { '*': 'deny', ...below([...scratch, ...fence.read, '/usr', '/run/tidegate'], 'allow') },
    ...others(context),
  };
}

/** Rules for the protocol, where the supervisor answers by the scope of that moment. */
export const askingRules = (context: LaunchContext): Permissions => ({
  edit: 'ask',
  bash: 'ask',
  external_directory: 'ask',
  ...others(context),
});

function others({ job }: LaunchContext): Permissions {
  const web = job.fence.network === 'off' ? 'deny' : 'allow';
  return { read: 'allow', doom_loop: 'allow', webfetch: web, websearch: web };
}

function editRules(scope: ToolScope, scratch: readonly string[]): Rules {
  const foreign = [...scope.siblings, ...scope.granting, ...scope.locks].filter(({ task }) => task !== scope.task);
  const own = scope.own.flatMap(wider);
  const ownLocks = scope.locks.filter(({ task }) => task === scope.task);
  const foreignLocks = scope.locks.filter(({ task }) => task !== scope.task);
  const isNamed = (name: string) => scope.own.some((text) => !/[*?]|\/$/.test(text) && text.split('/').includes(name));
  const config = agentSteering.filter((name) => !isNamed(name));
  const denied = [...new Set([...foreign.map((claim) => claim.pattern), ...scope.protect])].flatMap(exactly);
  const rules: readonly (readonly [readonly string[], Action])[] =
    scope.kind === 'read-only'
      ? [[['*'], 'deny']]
      : [
          [['*'], scope.kind === 'owned' ? 'deny' : 'allow'],
          ...(scope.kind === 'owned' ? [] : [[denied, 'deny'] as const]),
          [own, 'allow'],
          [foreignLocks.flatMap((lock) => exactly(lock.pattern)), 'deny'],
          [ownLocks.flatMap((lock) => wider(lock.pattern)), 'allow'],
          [config.flatMap((name) => [name, `${name}/*`, `*/${name}`, `*/${name}/*`]), 'deny'],
          [scope.granted.flatMap(wider), 'allow'],
        ];
  const places: readonly (readonly [readonly string[], Action])[] = [
    [scope.generated.flatMap(wider), 'allow'],
    [['../*'], 'deny'],
    [scratch.map((path) => `${path}/*`), 'allow'],
    [['.tidegate/*'], 'allow'],
  ];
  const inOrder = new Map<string, Action>();
  for (const [texts, action] of [...rules, ...places])
    for (const text of texts) {
      inOrder.delete(text);
      inOrder.set(text, action);
    }
  return Object.fromEntries(inOrder);
}

/** Matches everything that our pattern matches, and perhaps more. A key that is a number would lose its place in the object's order. */
function wider(text: string): readonly string[] {
  const whole = (text.endsWith('/') ? `${text}**` : text).replaceAll('**/', '*').replaceAll('**', '*');
  return [isNumber(whole) ? `*${whole}` : whole];
}

/** Matches only what our pattern matches; empty where opencode cannot express it. */
function exactly(text: string): readonly string[] {
  const { literal, below: isBelow } = grantPattern(text);
  if (isNumber(text)) return [];
  if (literal) return /[*?]/.test(text) ? [] : [text];
  if (isBelow) return [`${text.replace(/\/(\*\*)?$/, '')}/*`];
  const name = /^\*\*\/([^*?]+)$/.exec(text)?.[1];
  return name === undefined ? [] : [name, `*/${name}`];
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

const below = (directories: readonly string[], action: Action): Rules =>
  Object.fromEntries(directories.flatMap((path) => [[`${path}/*`, action] as const]));

/** Covers plain commands; fence and diff cover those behind quotes and wrappers. */
const commandRules = ({ block, forbid }: ToolScope): Rules =>
  Object.fromEntries(
    [...gitCommands, ...block.map((text) => `${text} *`), ...forbid.map((text) => `*${text}*`)].map((text) => [
      text,
      'deny',
    ]),
  );

const gitCommands = [
  ...['push', 'merge', 'rebase', 'stash', 'worktree', 'update-ref'].map((name) => `git ${name} *`),
  ...['git reset --hard*', 'git reset * --hard*', 'git *--no-verify*'],
];

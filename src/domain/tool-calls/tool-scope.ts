import { below, resolvePath } from '../base/paths.ts';
import type { Finding } from '../findings/finding.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import type { Granted } from '../scope/claims.ts';
import { unsafeName } from '../scope/path-safety.ts';
import { isGrantable, readScope, type Scope, type ScopeData, scopeDataOf, whyForeign } from '../scope/scope.ts';
import { type Steering, steeringIn } from '../scope/steering.ts';
import { writtenBy } from '../shell/command-files.ts';
import { plainCommands } from '../shell/plain-commands.ts';
import type { ToolCall } from './agent-event.ts';
import { type CommandLimits, commandRefusal, wordRules } from './command-rules.ts';

/** The data by which the supervisor judges tool calls. It is plain data, because the supervisor gets nothing but its job. */
export type ToolScope = ScopeData & { readonly forbid: readonly string[]; readonly block: readonly string[] };

export const toolScopeOf = (plan: FrozenPlan, task: PlannedTask, granted: Granted): ToolScope => ({
  ...scopeDataOf(plan, task, granted),
  forbid: plan.forbid,
  block: plan.block ?? [],
});

/** The directories of the agent, by the paths that it sees. */
export type ToolPlace = {
  readonly workspace: string;
  /** The directory that `~` means; null when it is not the agent's own. */
  readonly home: string | null;
  /** Directories besides the workspace that it may write to: its home, /tmp … */
  readonly writable: readonly string[];
  /** The person's checkout. Anything that the agent wrote there would be lost, even if its fence allows it. */
  readonly checkout: string;
};

type Rules = { readonly scope: Scope; readonly limits: CommandLimits; readonly place: ToolPlace };

/** Compiles the scope once. The fence judges reads; a call whose effect cannot be seen in it is allowed. */
export function toolDecider(scope: ToolScope, place: ToolPlace): (call: ToolCall) => Decision {
  const limits = { ...place, forbid: wordRules(scope.forbid), block: wordRules(scope.block) };
  const rules = { scope: readScope(scope), limits, place };
  return (call) => decideToolCall(rules, call);
}

function decideToolCall(rules: Rules, call: ToolCall): Decision {
  switch (call.kind) {
    case 'write':
      return first(call.paths, (path) => judgeWrite(rules, resolvePath(rules.place.workspace, path)));
    case 'run':
      return call.command === null ? allow : judgeCommand(rules, call.command, call.directory);
    case 'read':
    case 'search':
    case 'fetch':
    case 'other':
      return allow;
  }
}

function judgeCommand(rules: Rules, text: string, directory: string | undefined): Decision {
  const { limits, place } = rules;
  return first(plainCommands(text, resolvePath(place.workspace, directory ?? '.')), (command) => {
    const refused = commandRefusal(command, limits);
    if (refused !== null) return deny(refused);
    return first(writtenBy(command, place.home), (choices) => {
      const decisions = choices.map((path) => judgeWrite(rules, path));
      return decisions.find(({ decision }) => decision === 'allow') ?? decisions[0] ?? allow;
    });
  });
}

/** `path` is absolute and resolved. */
function judgeWrite({ scope, place }: Rules, path: string): Decision {
  const inside = below(place.workspace, path);
  if (inside === null) return judgeOutside(place, path);
  if (inside === '' || inside.startsWith('.tidegate/')) return allow;
  const unsafe = unsafeName(inside);
  const facts = { where: inside, task: scope.task };
  if (unsafe !== null) return deny({ ...unsafe, ...facts, grantable: false });
  if (scope.generated.has(inside)) return allow;
  const refused = whyForeign(scope, inside);
  return refused === null ? allow : deny({ ...refused, ...facts, grantable: isGrantable(scope, inside) });
}

function judgeOutside({ home, writable, checkout, workspace }: ToolPlace, path: string): Decision {
  if (below(checkout, path) !== null)
    return deny({ rule: 'outside-workspace', where: path, place: 'checkout', workspace });
  if (/^\/dev\/(null|stdout|stderr|tty|fd\/\d+|shm\/.+)$/.test(path)) return allow;
  const config = home === null ? null : steeringIn(below(home, path) ?? '');
  if (config !== null && ownKinds.has(config.steers)) return deny({ rule: 'own-config', where: path });
  if (writable.some((directory) => below(directory, path) !== null)) return allow;
  return deny({ rule: 'outside-workspace', where: path, place: 'elsewhere', workspace });
}

/** In a home only the configuration that agents, editors and hooks read counts. */
const ownKinds: ReadonlySet<Steering> = new Set(['agents', 'editors', 'hooks']);

const deny = (because: Finding): Decision => ({ decision: 'deny', because });

function first<T>(items: readonly T[], judge: (item: T) => Decision): Decision {
  for (const item of items) {
    const decision = judge(item);
    if (decision.decision === 'deny') return decision;
  }
  return allow;
}

/**
 * The answer to one tool call before it is carried out. It is an early warning: the snapshot's diff stays the gate. The sentence is for
 * the model; its fix is the command by which the agent may ask, absent where asking would not help.
 */
export type Decision = { readonly decision: 'allow' } | { readonly decision: 'deny'; readonly because: Finding };

export const allow: Decision = { decision: 'allow' };

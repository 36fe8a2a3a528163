import type { Finding } from '../findings/finding.ts';
import type { LedgerEvent } from './events.ts';

/**
 * The fields of events with words of others: texts of people, agents and programs, and names that they choose, such as files, checks,
 * commands and branches. Every other string in the ledger is data: an id, a hash, a time, a member of a closed list.
 *
 * `a.b` is a field of a field, `a[]` an item of a list, `a.**` everything below. Not repeated here: a field `words` at any depth is what
 * somebody said, and findings name things by `factsOfOthers`.
 */

const by = ['by.who'] as const;
/** Fields of every request. */
const request = [...by, 'key'] as const;
/** The person's document with all defaults; `**` because all of it is theirs. */
const plan = ['plan.**'] as const;
const order = [...plan, 'planFile', 'repo.remotes[].name', 'repo.remotes[].url', 'target.branch'] as const;
const summary = 'handoff.handoff.summary';
/** Lists of a role's report. */
const reported = ['findings[]', 'approvals[]', 'targets[]', 'benchmarks[]', 'items[]'] as const;
const handoff = [
  summary,
  ...['remaining', 'files', 'proofs', 'questions', 'dropped'].map((list) => `handoff.handoff.${list}[]`),
  ...reported.map((part) => `handoff.handoff.report.${part}`),
];
/** The agent chooses the target of a link. */
const snapshot = ['snapshot.diff[].path', 'snapshot.diff[].linkTarget', 'snapshot.diff[].keys[]'] as const;
/** Deliverables and proofs, which only snapshots of a whole workspace have. */
const evidenced = ['snapshot.made[].path', 'snapshot.proofs[].path', 'snapshot.proofs[].kind'] as const;
const acceptance = ['acceptance.who', 'acceptance.edited[]', 'resolved.who'] as const;
/** Session and model by the agent's own names. */
const report = ['agent.session', 'agent.model', 'agent.trips[].file'] as const;
/** `tail` is the end of the output. Tests are named by whoever wrote them, places of problems by the check. */
const outcome = ['name', 'tail', 'report.tests.failed[]', 'report.at[]'] as const;
const contract = [
  'planFile',
  ...['actual', 'expected'].flatMap((repo) => [`${repo}.remotes[].name`, `${repo}.remotes[].url`]),
  'claims[].remote',
] as const;
/** The id is chosen by the service that keeps the thread. */
const thread = ['id'] as const;
const ownership = ['granted[].paths[]'] as const;
const dispatch = ['agent.argv[]', 'agent.version', 'fence.network[]', 'fence.breaches[].at'] as const;
/** Names and addresses of artifacts, and names of components. */
const bundle = ['artifacts[].name', 'artifacts[].url', 'components.**', 'supersedes'] as const;
/** A post to the board. `target` may name a capability. */
const posted = ['text', 'target', 'references[]', 'closureCondition'] as const;
/** A change of a record. */
const changed = ['answer', 'reason'] as const;
const under = (place: string, paths: readonly string[]): readonly string[] => paths.map((path) => `${place}.${path}`);

/** Files that a resolver repaired. */
const compared = ['markers[]', 'gone[].path'] as const;

/** Definitions of checks that were restored. */
const put = ['changes[].path', 'changes[].keys[]'] as const;

/** Fields by type of event. Published in docs/reference/events.md. */
export const wordsOfOthers: Readonly<Record<LedgerEvent['type'], readonly string[]>> = {
  // requests
  'requested-run': [...request, ...order],
  'requested-approve': request,
  'requested-reject': request,
  'requested-hold': request,
  'requested-grant': [...request, 'paths[]'],
  'requested-drop': [...request, 'paths[]'],
  'requested-discard': [...request, 'paths[]'],
  'requested-retry': [...request, 'agent'],
  'requested-rework': [...request, 'message'],
  'requested-accept': request,
  'requested-edit': request,
  'requested-landing-edit': request,
  'requested-send': [...request, 'message'],
  'requested-post': [...request, ...posted],
  'requested-answer': [...request, 'record', 'text'],
  'requested-record': [...request, 'record', 'text'],
  'requested-resolve': [...request, 'barrier', 'reason'],
  'requested-relaunch': request,
  'requested-proof': [...request, ...bundle, 'attestation'],
  'requested-proof-revoke': [...request, 'bundle', 'reason'],
  'requested-dependency': [...request, 'branch', 'on', 'text'],
  'requested-dependency-end': [...request, 'dependency', 'reason'],
  'requested-raise': request,
  'requested-pause': request,
  'requested-resume': request,
  'requested-stop': request,
  'requested-abandon': request,
  'requested-replan': [...request, ...plan],
  'requested-land': request,
  'requested-undo': request,
  // the run
  'run-created': [...by, ...order],
  'plan-replaced': [...by, ...plan],
  'phase-judged': [
    'verdicts[].of',
    ...under('evidence', [
      ...contract,
      ...thread,
      ...ownership,
      ...dispatch,
      ...handoff,
      ...snapshot,
      ...evidenced,
      ...acceptance,
      ...under('sides', compared),
    ]),
    ...under('evidence.checks[]', outcome),
    ...under('evidence.before.checks[]', outcome),
    ...under('evidence.baseline.checks[]', outcome),
    'evidence.baseline.redefined[]',
    'evidence.baseline.resolved[].check',
    ...under('evidence.before', put),
    ...under('evidence.closure.reports[].report', reported),
    'evidence.bundles[].components.**',
    'evidence.closure.resolved[]',
    'evidence.closure.components[].component',
    'evidence.closure.docs[]',
  ],
  'thread-intended': [],
  'run-branch-made': [],
  'tap-opened': [],
  'tap-decided': by,
  'run-paused': by,
  'run-stopped': by,
  'run-abandoned': by,
  'run-resumed': [...by, 'rechecks[].check'],
  'run-halted': [],
  'run-ended': [],
  'starts-suspended': [],
  'starts-allowed': [],
  'provider-paused': [],
  'provider-resumed': [],
  'request-accepted': [],
  'request-refused': [],
  // tasks and attempts
  'task-base-made': [],
  'task-base-refused': [],
  'attempt-intended': ['session.id'],
  'attempt-noted': [
    ...under('note', ['session', 'model', 'tool', 'trip.file', 'paths[]', 'why', 'record', ...posted]),
    'place.route.asked',
    ...under('changes[]', changed),
  ],
  'attempt-told': [],
  'message-sent': [...by, 'message'],
  'attempt-started': [],
  // `refusals` as the agent typed them
  'attempt-ended': [...handoff, ...snapshot, ...evidenced, 'kept[].path', 'refusals[]', ...report],
  'attempt-settled': [],
  'orchestrator-intended': [],
  'orchestrator-started': [],
  'orchestrator-noted': under('note', ['session', 'model', 'tool', 'trip.file', 'record', ...posted]),
  'orchestrator-told': [],
  'orchestrator-ended': ['refusals[]', ...report],
  'task-held': [
    'hold.check',
    'hold.worse.tests[]',
    'hold.files[]',
    'hold.repair.paths[]',
    ...under('hold.defined', put),
  ],
  'task-released': [],
  'task-granted': [...by, 'paths[]', 'meets[]'],
  'task-dropped': by,
  'paths-dropped': [...by, 'paths[]', ...snapshot],
  'kept-discarded': [...by, 'kept[].path'],
  'task-accepted': by,
  'task-edited': [...by, 'paths[]', ...snapshot, ...evidenced],
  'task-retried': by,
  'task-reworked': [...by, 'message'],
  'agent-chosen': by,
  'budget-raised': by,
  'budget-near': [],
  // the board
  'record-posted': [...by, ...posted, 'place.route.asked'],
  'record-answered': [...by, 'text'],
  'record-closed': by,
  'record-changed': [...by, ...changed],
  'helper-assigned': [],
  'records-overdue': [],
  // checks, rounds, merge
  'check-ended': under('check', outcome),
  'round-opened': [],
  'candidate-built': ['conflicts[].files[]', 'conflicts[].repair.paths[]', ...under('before', put)],
  'generator-ended': [...snapshot, 'tail'],
  'candidate-completed': under('before', put),
  'role-opened': [...by, 'message'],
  'candidate-extended': [],
  'barrier-resolved': [...by, 'barrier', 'reason'],
  'dependency-added': [...by, 'branch', 'on.branch', 'text'],
  'dependency-owed': [...by, 'branch', 'of.branch', 'text'],
  'dependency-unmet': [],
  'dependency-resolved': [...by, 'reason', 'landed.branch'],
  'dependency-cancelled': [...by, 'reason'],
  'wave-relaunched': by,
  'task-continued': ['components[]'],
  'components-promoted': ['levels.**'],
  'proof-registered': [...by, ...bundle, 'attestation'],
  'proof-revoked': [...by, 'reason'],
  'task-derived': ['planned.**', 'granted[]', 'inputs.paths[]', 'inputs.check'],
  'sides-compared': compared,
  'culprit-found': ['check', 'worse.tests[]'],
  'merge-intended': [],
  merged: [],
  'round-abandoned': [],
  'wave-closed': [],
  // landing and undo
  'target-observed': [],
  'landing-queued': [],
  'landing-rebuilt': ['conflicts[]', 'unjudged[]', 'conflicted.beside[].path', ...under('before', put)],
  'landing-edited': [...by, 'paths[]'],
  'landing-intended': ['branch', 'worktree'],
  landed: ['branch'],
  'landing-refused': [],
  'branch-made': ['branch'],
  'push-intended': ['branch', 'remote'],
  pushed: ['branch', 'remote', 'host', 'repository', 'upstream'],
  'pull-request-intended': ['branch', 'base'],
  'pull-request-opened': ['branch', 'url'],
  'pull-request-landed': ['branch'],
  'undo-prepared': ['branch'],
  'undo-intended': ['branch'],
  undone: ['branch'],
  'undo-refused': [],
  // the repository
  'ledger-opened': [],
  'coordinator-started': [],
  'coordinator-stopped': [],
  // sessions that others drive; `result` and `context` are documents of theirs
  'external-wave-created': [...by, 'name', 'description'],
  'external-wave-started': by,
  'external-wave-ended': [],
  'external-batch-submitted': [
    ...by,
    ...under('subtasks[]', ['taskId', 'agentType', 'agentId', 'description', 'context.**']),
  ],
  'external-subtask-updated': [...by, 'agentId', 'result.**', 'context.**'],
  'external-action-recorded': [...by, 'tool', 'toolType', 'files[]'],
  'external-batch-completed': [...by, 'files[]', 'conflicts[].file'],
  'external-key-used': ['key', 'forgets'],
};

/** Facts of findings with words of others, wherever a finding is stored. */
export const factsOfOthers = {
  said: ['words'],
  files: ['where', 'file', 'files', 'path', 'paths', 'at'],
  directories: ['checkout', 'directory', 'repository', 'workspace', 'worktree', 'worktrees'],
  patterns: ['pattern', 'protected', 'config', 'spelled', 'first', 'replaced', 'target', 'token'],
  commands: ['command', 'commands', 'program', 'args', 'filter', 'version'],
  branches: ['branch', 'ref', 'base', 'asked'],
  remotes: ['remote', 'remotes', 'url'],
  checks: ['check', 'checks', 'tests'],
  people: ['who'],
  agents: ['agent', 'agents', 'runnable', 'before', 'known'],
  plans: [
    'key',
    'keys',
    'value',
    'meant',
    'alias',
    'skill',
    'component',
    'components',
    'need',
    'host',
    'variable',
    'variables',
  ],
  asked: ['id', 'record', 'ring', 'blocker', 'named', 'barrier', 'bundle', 'artifact', 'items', 'records'],
} as const satisfies Readonly<Record<string, readonly TextFact<Finding>[]>>;

/** Facts of type string that are data. Together with `factsOfOthers` these are all facts of type string. */
export const dataFacts = {
  ids: [
    'run',
    'task',
    'tasks',
    'open',
    'dependency',
    'directiveOf',
    'commit',
    'batch',
    'subtask',
    'event',
    'request',
    'type',
    'refused',
  ],
  system: ['code', 'expired', 'signal', 'syscall', 'mode', 'machine', 'tools', 'addresses', 'operation'],
  closed: [
    'actual',
    'expected',
    'choices',
    'kind',
    'kinds',
    'keyword',
    'shape',
    'word',
    'level',
    'levels',
    'claimed',
    'current',
  ],
} as const satisfies Readonly<Record<string, readonly TextFact<Finding>[]>>;

/** Names of facts of type string, alone or in a list, also in nested findings. */
export type TextFact<T> = T extends string
  ? never
  : T extends readonly (infer Item)[]
    ? TextFact<Item>
    : T extends object
      ? { [K in keyof T & string]: IsText<T[K]> extends true ? K : InnerFact<K, T[K]> }[keyof T & string]
      : never;
type IsText<T> = string extends (T extends readonly (infer Item)[] ? Item : T) ? true : false;
type InnerFact<K, T> = K extends 'because' | 'findings' ? never : TextFact<T>;

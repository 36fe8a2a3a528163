/**
 * The kinds of records, in one table: who may post one, whether it waits for somebody, and what it blocks. `docs/reference/board.md`
 * is written from this table and from that of `acts.ts`.
 */

/** The first five were there before the others and keep their meaning. */
export const recordKinds = [
  'note',
  'question',
  'request',
  'decision',
  'handoff-note',
  'ack',
  'claim',
  'evidence',
  'blocker',
  'contradiction',
  'human-escalation',
  'integration-summary',
  'resolved-by-policy',
  'orchestrator-guidance',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** `integration`: the closure role of that name. `rule`: Tidegate itself. `orchestrator`: a resident orchestrator. */
export type Poster = 'agent' | 'integration' | 'person' | 'rule' | 'orchestrator';

/**
 * Tells when an open record of a kind keeps its wave open. `targeted`: it blocks when it is for a task or a capability, or when it is critical.
 * `critical`: only when it is critical. An advisory record blocks nothing.
 */
export type Blocking = 'never' | 'critical' | 'targeted' | 'always';

/**
 * `acknowledge`: an agent of its task is running and has not acknowledged it. `stale`: it is for a task and not settled. `answer`: it
 * waits for a person.
 */
export const recordClocks = ['acknowledge', 'stale', 'answer'] as const;
export type RecordClock = (typeof recordClocks)[number];

export type KindRule = {
  readonly posts: readonly Poster[];
  /** True when it is open until somebody settles it. */
  readonly waits: boolean;
  readonly blocks: Blocking;
  /** The clocks of a record of this kind that waits for somebody. None of them settles anything. */
  readonly clocks: readonly RecordClock[];
  /** The severity of a post that names none; normal when absent. */
  readonly severity?: 'critical';
};

const anyone = ['agent', 'integration', 'person'] as const;
const tells = { posts: anyone, waits: false, blocks: 'never', clocks: [] } as const satisfies KindRule;

export const kindRules: Readonly<Record<RecordKind, KindRule>> = {
  note: tells,
  question: { posts: anyone, waits: true, blocks: 'targeted', clocks: recordClocks },
  request: { posts: anyone, waits: true, blocks: 'targeted', clocks: recordClocks },
  decision: tells,
  'handoff-note': tells,
  ack: tells,
  claim: tells,
  evidence: tells,
  blocker: { posts: anyone, waits: true, blocks: 'critical', clocks: recordClocks },
  contradiction: { posts: anyone, waits: true, blocks: 'critical', clocks: recordClocks, severity: 'critical' },
  'human-escalation': { posts: anyone, waits: true, blocks: 'always', clocks: ['answer'] },
  'integration-summary': { ...tells, posts: ['integration', 'person'] },
  'resolved-by-policy': { ...tells, posts: ['rule'] },
  'orchestrator-guidance': { ...tells, posts: ['orchestrator'] },
};

/** Names of other tools for the same kinds. */
const kindAliases: Readonly<Record<string, RecordKind>> = {
  'clarification-request': 'question',
  'human-feedback': 'question',
  handoff: 'handoff-note',
};

/** A question of this name is for a person, whomever it names. */
export const asksPerson = (name: unknown): boolean => name === 'human-feedback';

/** Returns the kind of this name, which may be an alias; null when there is none. */
export function kindNamed(name: unknown): RecordKind | null {
  if (typeof name !== 'string') return null;
  return (
    recordKinds.find((kind) => kind === name) ?? (Object.hasOwn(kindAliases, name) ? (kindAliases[name] ?? null) : null)
  );
}

/** Kinds that this poster may write, in order. */
export const kindsOf = (poster: Poster): readonly RecordKind[] =>
  recordKinds.filter((kind) => kindRules[kind].posts.includes(poster));

/** The severities that a post can have. `low` and `high` were there before `advisory`. */
export const severities = ['advisory', 'low', 'normal', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Names of other tools for the same severities. */
const severityAliases: Readonly<Record<string, Severity>> = {
  hard: 'critical',
  'proof-critical': 'critical',
  'closure-critical': 'critical',
  soft: 'normal',
  stale: 'advisory',
};

/** Returns the severity of this name, which may be an alias; null when there is none. */
export function severityNamed(name: unknown): Severity | null {
  if (typeof name !== 'string') return null;
  return (
    severities.find((known) => known === name) ??
    (Object.hasOwn(severityAliases, name) ? (severityAliases[name] ?? null) : null)
  );
}

export type Grade = 'advisory' | 'normal' | 'critical';

const grades: Readonly<Record<Severity, Grade>> = {
  advisory: 'advisory',
  low: 'advisory',
  normal: 'normal',
  high: 'normal',
  critical: 'critical',
};

/** The severity that decides. A stored severity stays as it was written. */
export const gradeOf = (severity: Severity | undefined): Grade =>
  severity === undefined ? 'normal' : grades[severity];

export const isCritical = ({ severity }: { readonly severity?: Severity }): boolean => gradeOf(severity) === 'critical';

export const priorities = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof priorities)[number];

export const confidences = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof confidences)[number];

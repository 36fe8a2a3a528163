import { err, ok, type Result } from '../../../domain/base/result.ts';
import { describeFinding } from '../../../domain/explain/explain.ts';
import { type Bundle, bundleLevels, bundlesOf, isStale, type ProofArtifact } from '../../../domain/proofs/bundle.ts';
import { artifactName } from '../../../domain/proofs/bundle-requests.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { actAndReport, actOn, refuseAgentAction } from '../../frame/act.ts';
import { type Context, command, done, type Outcome, usageError } from '../../frame/command.ts';
import { resolveTask, resolveWholeRun } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

const verbs = ['add', 'list', 'revoke', 'supersede'] as const;

export const proofCommand = command({
  name: 'proof',
  group: 'decide',
  summary: 'give, list and revoke proofs that only a person can give',
  arguments: {
    action: { about: 'add, list, revoke or supersede', required: true, choices: verbs },
    subject: {
      about: 'run/task for add; run for list; run/proof for revoke and supersede',
      shown: 'run[/task|/proof]',
      completes: 'runs',
    },
  },
  options: {
    level: { value: 'level', choices: bundleLevels, about: `${bundleLevels.join(', ')} (default: live)` },
    file: { value: 'path', repeatable: true, about: 'a file that shows it; Tidegate keeps a copy and its SHA-256' },
    url: { value: 'address', repeatable: true, about: 'an address that shows it; it is never fetched' },
    sha256: { value: 'hash', repeatable: true, about: 'SHA-256 of the content of each --url, in their order' },
    component: { value: 'name=level', repeatable: true, about: 'a component that has reached a level by it' },
    supersedes: { value: 'proof', about: 'the proof that this one replaces' },
    message: { short: 'm', value: 'text', about: 'your attestation, or the reason of a revocation' },
  },
  help: 'A proof counts for the current snapshot of the task. If the task changes, the proof is stale.',
  changes: (input, repo, context) => prove(repo, context, input),
});

type Input = {
  readonly action: string;
  readonly subject: string | undefined;
  readonly level: string | undefined;
  readonly file: readonly string[];
  readonly url: readonly string[];
  readonly sha256: readonly string[];
  readonly component: readonly string[];
  readonly supersedes: string | undefined;
  readonly message: string | undefined;
};

async function prove(repo: RepositoryHandle, context: Context, input: Input): Promise<Outcome> {
  switch (verbs.find((verb) => verb === input.action)) {
    case 'add':
      return await add(repo, context, input, input.subject, input.supersedes);
    case 'list':
      return await list(repo, input.subject);
    case 'revoke':
      return await revoke(repo, input);
    case 'supersede':
      return await supersede(repo, context, input);
    case undefined:
      return usageError('bad-action', `proof: ${JSON.stringify(input.action)} is not ${verbs.join(', ')}`);
  }
}

async function add(
  repo: RepositoryHandle,
  context: Context,
  input: Input,
  typed: string | undefined,
  supersedes: string | undefined,
): Promise<Outcome> {
  if (typed === undefined) return usageError('no-task', 'proof: name a task: tidegate proof add <run>/<task>');
  const subject = await resolveTask(repo, 'proof', typed);
  if (!subject.ok) return subject.error;
  const name = partName(subject.value);
  const refusal = refuseAgentAction(repo, 'prove', `proof add ${name} -m "your attestation"`);
  if (refusal !== null) return refusal;
  const components = componentsIn(input.component);
  if (components === null) return usageError('bad-component', 'proof: --component takes name=level');
  const attestation = input.message ?? '';
  if (attestation.trim() === '')
    return usageError('no-message', `proof: attest it with -m: tidegate proof add ${name} -m "what you saw"`);
  if (input.url.length !== input.sha256.length)
    return usageError('no-hash', 'proof: each --url needs a --sha256 of its content');
  const artifacts = await artifactsOf(repo, context, subject.value.run, input);
  if (!artifacts.ok) return usageError('bad-artifact', `proof: ${artifacts.error}`);
  const { level = 'live' } = input;
  const given = { level, artifacts: artifacts.value, attestation, components, supersedes };
  const { performed, outcome } = await actAndReport(repo, { action: 'prove', subject: subject.value, input: given });
  if (performed.outcome !== 'accepted') return outcome;
  const { run, task } = subject.value;
  const bundle = (await repo.ledger.read(run)).find(
    ({ seq, event }) => seq > performed.seq && event.type === 'proof-registered' && event.task === task,
  )?.event;
  return bundle?.type === 'proof-registered'
    ? {
        ...outcome,
        lines: [...(outcome.lines ?? []), `It is ${run}/${bundle.bundle}.`],
        data: { run, proof: bundle.bundle },
      }
    : outcome;
}

/** `2026-11-18 06:02 `, in universal time; empty when it is unknown. */
const shortTime = (at: string | null): string => (at === null ? '' : `${at.slice(0, 16).replace('T', ' ')} `);

/** Undefined without a component. Null for a text of another form. */
function componentsIn(typed: readonly string[]): Readonly<Record<string, string>> | undefined | null {
  const pairs = typed.map((text) => /^([^=]+)=([^=]+)$/.exec(text));
  if (pairs.includes(null)) return null;
  const entries = pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? ''] as const]));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

async function artifactsOf(
  repo: RepositoryHandle,
  { cwd }: Context,
  run: RunState['run'],
  { file, url, sha256 }: Input,
): Promise<Result<readonly ProofArtifact[], string>> {
  const artifacts: ProofArtifact[] = [];
  for (const path of file) {
    const kept = await repo.keepProof(run, cwd, path);
    if (!kept.ok) return err(describeFinding(kept.error));
    artifacts.push(kept.value);
  }
  const at = repo.clock.now();
  const addresses = url.map((one, index) => ({ kind: 'url', url: one, sha256: sha256[index] ?? '', at }) as const);
  return ok([...artifacts, ...addresses]);
}

type Named = { readonly run: string | undefined; readonly bundle: string };

function bundleTyped(typed: string | undefined): Named | null {
  const [, run, bundle] = /^(?:([^/]+)\/)?(p[0-9]{1,6})$/.exec(typed ?? '') ?? [];
  return bundle === undefined ? null : { run, bundle };
}

const badBundle = (typed: string | undefined): Outcome =>
  usageError('bad-proof', `proof: ${JSON.stringify(typed ?? '')} is not a run/proof; see tidegate proof list`);

async function revoke(repo: RepositoryHandle, { subject: typed, message }: Input): Promise<Outcome> {
  const named = bundleTyped(typed);
  if (named === null) return badBundle(typed);
  const subject = await resolveWholeRun(repo, 'proof', named.run, 'newest');
  if (!subject.ok) return subject.error;
  const { bundle } = named;
  const name = `${subject.value.run}/${bundle}`;
  const refusal = refuseAgentAction(repo, 'revoke-proof', `proof revoke ${name} -m "your reason"`);
  if (refusal !== null) return refusal;
  const reason = message ?? '';
  if (reason.trim() === '')
    return usageError('no-message', `proof: say why, with -m: tidegate proof revoke ${name} -m "your reason"`);
  return await actOn(repo, { action: 'revoke-proof', subject: subject.value, input: { bundle, reason } });
}

/** Registers a new proof for the task of the one that it replaces, with its level and components unless others are named. */
async function supersede(repo: RepositoryHandle, context: Context, input: Input): Promise<Outcome> {
  const named = bundleTyped(input.subject);
  if (named === null) return badBundle(input.subject);
  const subject = await resolveWholeRun(repo, 'proof', named.run, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state } = subject.value;
  const replaced = bundlesOf(state).find(({ id }) => id === named.bundle);
  if (replaced === undefined) {
    const known = bundlesOf(state).map(({ id }) => id);
    const unknown = describeFinding({ rule: 'no-such-bundle', run, bundle: named.bundle, known });
    return usageError('no-such-proof', `proof: ${unknown}`);
  }
  const level = input.level ?? replaced.level;
  const reached = Object.entries(replaced.components ?? {}).map(([name, to]) => `${name}=${to}`);
  const component = input.component.length > 0 ? input.component : reached;
  return await add(repo, context, { ...input, level, component }, `${run}/${replaced.task}`, named.bundle);
}

async function list(repo: RepositoryHandle, typed: string | undefined): Promise<Outcome> {
  const subject = await resolveWholeRun(repo, 'proof', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, state, stored } = subject.value;
  const bundles = bundlesOf(state);
  const timeOf = (id: string, type: 'proof-registered' | 'proof-revoked'): string | null =>
    stored.find(({ event }) => event.type === type && event.bundle === id)?.at ?? null;
  const proofs = bundles.map((bundle) => ({
    ...bundle,
    stale: isStale(bundle, state.tasks[bundle.task]),
    at: timeOf(bundle.id, 'proof-registered'),
    revokedAt: timeOf(bundle.id, 'proof-revoked'),
  }));
  if (bundles.length === 0) return done([`${run} has no proofs.`], { run, proofs });
  return done(
    proofs.flatMap((proof) => bundleLines(state, proof)),
    { run, proofs },
  );
}

type ListedProof = Bundle & { readonly at: string | null; readonly revokedAt: string | null };

function bundleLines(state: RunState, bundle: ListedProof): readonly Text[] {
  const { id, task, level, state: status, attestation, by, artifacts, components = {}, at, revokedAt, reason } = bundle;
  const word = status === 'active' && isStale(bundle, state.tasks[task]) ? 'stale' : status;
  const reached = Object.entries(components).map(([component, to]) => `${component}=${to}`);
  return [
    [`${id}  ${task}  ${level}  ${word}`, ...(reached.length === 0 ? '' : `  ${reached.join(', ')}`)].join(''),
    [{ text: `    ${shortTime(at)}${by.who}: ${attestation}`, tone: 'dim' }],
    ...(reason === undefined
      ? []
      : [[{ text: `    ${shortTime(revokedAt)}revoked: ${reason}`, tone: 'dim' } as const]]),
    ...artifacts.map((one): Text => [{ text: `    ${artifactName(one)}  ${one.sha256}`, tone: 'dim' }]),
  ];
}

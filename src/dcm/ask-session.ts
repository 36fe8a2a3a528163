import { err, type Result } from '../domain/base/result.ts';
import { explain } from '../domain/explain/explain.ts';
import type { ExternalCommand } from '../domain/ledger/dcm-commands.ts';
import { type Problem, type ProblemStatus, problem } from '../protocol/problem.ts';
import type { ServedRepository, Site } from '../server/site.ts';
import type { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** Asks a session for something, and gives it as it is right after that. */
export async function askSession(
  { key, caller }: Site,
  { sessions }: ServedRepository,
  session: string,
  command: ExternalCommand,
): Promise<Result<Session, Problem>> {
  const answered = await sessions.ask(session, { command, by: caller.by, ...(key === null ? {} : { key }) });
  return answered.ok ? answered : err(toldAs(answered.error));
}

function toldAs(refusal: Refusal): Problem {
  const { detail, fix } = explain(refusal);
  const code = refusal.rule.slice('session-'.length);
  return problem(statuses[refusal.rule] ?? 409, code, detail, fix === undefined ? {} : { next: fix });
}

const statuses: Readonly<Partial<Record<Refusal['rule'], ProblemStatus>>> = {
  'session-unknown-wave': 404,
  'session-unknown-batch': 404,
  'session-unknown-subtask': 404,
  'session-bad-blocker': 422,
  'session-cycle': 422,
  'session-secret': 422,
  'session-key-reused': 422,
};

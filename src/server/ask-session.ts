import type { ExternalCommand } from '../domain/external/command.ts';
import type { Refusal, RefusalReason } from '../domain/external/refusal.ts';
import type { Session } from '../domain/external/session.ts';
import { err, type Result } from '../domain/result.ts';
import { type Problem, type ProblemStatus, problem } from '../protocol/problem.ts';
import type { OpenRepository, Site } from './site.ts';

/** Asks a session for something, and gives it as it is right after that. */
export async function askSession(
  { key, caller }: Site,
  { sessions }: OpenRepository,
  session: string,
  command: ExternalCommand,
): Promise<Result<Session, Problem>> {
  const answered = await sessions.ask(session, { command, by: caller.by, ...(key === null ? {} : { key }) });
  return answered.ok ? answered : err(toldAs(answered.error));
}

const toldAs = ({ reason, why, next }: Refusal): Problem =>
  problem(statuses[reason] ?? 409, reason, why, next === null ? {} : { next });

const statuses: Readonly<Partial<Record<RefusalReason, ProblemStatus>>> = {
  'unknown-wave': 404,
  'unknown-batch': 404,
  'unknown-subtask': 404,
  'bad-blocker': 422,
  cycle: 422,
  secret: 422,
  'key-reused': 422,
};

import type { ExternalCommand } from '../domain/external/command.ts';
import { decideExternal } from '../domain/external/decide.ts';
import type { Refusal, RefusalReason } from '../domain/external/refusal.ts';
import type { Session } from '../domain/external/session.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { askIn } from '../engine/ask.ts';
import { externalStream } from '../ports/ledger.ts';
import { type Problem, type ProblemStatus, problem } from '../protocol/problem.ts';
import type { OpenRepository, Site } from './site.ts';

/** Asks a session for something, and gives it as it is after the answer. What would be refused is refused without asking. */
export async function askSession(
  site: Site,
  repository: OpenRepository,
  state: Session,
  command: ExternalCommand,
): Promise<Result<Session, Problem>> {
  const key = site.key ?? undefined;
  const request = { command, by: site.caller.by, ...(key === undefined ? {} : { key }) };
  const decided = decideExternal(state, request);
  if (!decided.ok) return err(toldAs(decided.error));
  // done already: nothing is asked, so nothing is written
  if (decided.value.length === 0) return ok(state);
  const answered = await askIn(repository.desk, externalStream(state.session), {
    type: 'requested-external',
    ...request,
  });
  switch (answered.outcome) {
    case 'accepted':
      return ok(await repository.sessions.session(state.session));
    case 'refused':
    case 'halted':
      return err(problem(409, 'refused', answered.why));
    case 'no-answer':
      return err(
        problem(503, 'no-coordinator', 'nobody coordinates this repository now', {
          next: 'ask again; with the same Idempotency-Key nothing is done twice',
        }),
      );
  }
}

export const toldAs = ({ reason, why, next }: Refusal): Problem =>
  problem(statuses[reason] ?? 409, reason, why, next === null ? {} : { next });

const statuses: Readonly<Partial<Record<RefusalReason, ProblemStatus>>> = {
  'unknown-wave': 404,
  'unknown-batch': 404,
  'unknown-subtask': 404,
  'bad-blocker': 422,
  cycle: 422,
  secret: 422,
};

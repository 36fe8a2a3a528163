import { z } from 'zod';
import { recordKinds, severities } from '../../domain/board/board.ts';
import { policy } from '../../domain/settings/policy.ts';
import { id } from './common.ts';

export const recordKind = z
  .enum(recordKinds)
  .meta({ description: 'questions and requests wait for an answer; the others only tell' });
export const recordText = z.string().regex(/\S/, 'is empty').max(policy.recordCharacters);

export const boardRecord = z.strictObject({
  id: z.string(),
  kind: recordKind,
  status: z.enum(['open', 'answered', 'closed']),
  target: id.meta({ description: 'a task, `person` or `all`' }),
  text: z.string(),
  severity: z
    .enum(severities)
    .optional()
    .meta({ description: 'normal, if absent; nothing lands while a critical question is open' }),
  from: z
    .union([z.strictObject({ task: id, attempt: z.string() }), z.strictObject({ person: z.string() })])
    .meta({ description: 'of a task: the attempt through whose channel it came, whatever it says' }),
  answer: z.strictObject({ text: z.string(), person: z.string() }).optional(),
});

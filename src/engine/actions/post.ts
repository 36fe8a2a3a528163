import { err, ok } from '../../domain/base/result.ts';
import { type RecordKind, recordKinds } from '../../domain/board/board.ts';
import { targetNamed } from '../../domain/board/board-requests.ts';
import type { Action } from './action.ts';

type PostInput = { readonly kind: string; readonly target?: string; readonly text: string };

/** Writes to the board of a run: to a task, to `all` tasks or to a `person`. Without a target, to the subject. */
export const postAction: Action<'part', PostInput> = {
  name: 'post',
  who: 'person',
  rest: true,
  mcp: false,
  on: 'part',
  request: ({ task }, { kind, target = task ?? 'all', text }, by) =>
    isKind(kind)
      ? ok({ type: 'requested-post', kind, target: targetNamed(target), text, by })
      : err({ reason: 'bad-kind', because: { rule: 'post-kind', kinds: recordKinds }, field: 'kind' }),
};

const isKind = (kind: string): kind is RecordKind => recordKinds.some((known) => known === kind);

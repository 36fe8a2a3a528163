import type { TaskId } from '../domain/ids.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { type Order, refused } from './context.ts';
export const undo = async (_order: Order, _task: TaskId | null): Promise<MergerAnswer> =>
  refused('undo is not built yet');

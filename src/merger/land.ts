import type { MergerAnswer } from '../ports/merger.ts';
import { type Order, refused } from './context.ts';
export const land = async (_order: Order): Promise<MergerAnswer> => refused('landing is not built yet');

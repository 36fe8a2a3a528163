import { described, either, fields, oneOf, text, type ValueOf } from '../settings/shapes.ts';
import type { CheckParse } from './report.ts';

const reportFile = text({ min: 1, max: 256, matches: /^[^/*?\\][^*?\\]*(?<!\/)$/ }, 'Report that the check writes.');

/** How `parse` is written: a format that the check prints, a file that it writes, or the line with the count. */
export const writtenParse = described(
  either(
    oneOf('tsc', 'junit', 'sarif', 'count'),
    fields({ junit: reportFile }, {}),
    fields({ sarif: reportFile }, {}),
    fields(
      { count: text({ max: 200, matches: /^[^#\n]*#[^#\n]*$/ }, 'The line with the count: # is the number.') },
      {},
    ),
  ),
  'Reads the failing tests or the number of problems from the output, or from a file that the check writes.',
);

export function parseOf(written: ValueOf<typeof writtenParse>): CheckParse {
  if (typeof written === 'string') return { as: written };
  if ('count' in written) return { as: 'count', text: written.count };
  return 'junit' in written ? { as: 'junit', file: written.junit } : { as: 'sarif', file: written.sarif };
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const said = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})[a-z]{2}, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M/;

/**
 * When Codex may be used again, out of `… or try again at Nov 22nd, 2029 12:00 AM.`; today, when it names no day. It speaks
 * in local time and cuts off the seconds, so the minute after is meant.
 */
export function tryAgainAt(text: string, now: Date): string | null {
  const [, month, day, year, hour, minute, half] = said.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const at = new Date(now);
  if (month !== undefined) at.setFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(day));
  at.setHours((Number(hour) % 12) + (half === 'P' ? 12 : 0), Number(minute) + 1, 0, 0);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

import type { RunId } from '../../domain/ids.ts';
import type { Desk } from '../../ports/desk.ts';
import type { Text } from '../../ports/terminal.ts';
import { exitCodes, type Outcome } from '../command.ts';
import { decide } from '../decide.ts';
import { askToLand } from '../land.ts';
import { pauseRun, resumeRun, stopRun } from '../mode.ts';
import { raiseLimit } from '../raise.ts';
import { dropTask, grantPaths, reworkTask } from '../resolve.ts';
import { wholeRunNamed } from '../subject.ts';
import type { Act } from './ui.ts';

/** Does what the command of the same name does, with the same refusals. */
export async function carryOut(desk: Desk, run: RunId, act: Act): Promise<Outcome> {
  switch (act.act) {
    case 'approve':
      return await decide(desk, 'approve', run);
    case 'land': {
      const found = await wholeRunNamed(desk, 'land', run);
      return found.ok ? await askToLand(desk, found.value) : found.error;
    }
    case 'pause':
      return await pauseRun(desk, run);
    case 'resume':
      return await resumeRun(desk, run);
    case 'stop':
      return await stopRun(desk, run);
    case 'grant':
      return await grantPaths(desk, `${run}/${act.task}`, act.paths);
    case 'raise':
      return await raiseLimit(desk, act.task === null ? run : `${run}/${act.task}`, act.usd);
    case 'drop':
      return await dropTask(desk, `${run}/${act.task}`, []);
    case 'rework':
      return await reworkTask(desk, `${run}/${act.task}`, act.message);
  }
}

/** The first line of what the command would have printed. */
export function noticeOf({ exit, lines = [], problems = [] }: Outcome): Text {
  const [said = 'done'] = exit === exitCodes.done ? lines : problems;
  const text =
    typeof said === 'string' ? said : said.map((part) => (typeof part === 'string' ? part : part.text)).join('');
  return [{ text, tone: exit === exitCodes.done ? 'good' : 'bad' }];
}

import type { RunId } from '../../domain/base/ids.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { resumeRun } from '../decide/lift.ts';
import { act as actOnNamed } from '../frame/act.ts';
import { exitCodes, type Outcome } from '../frame/command.ts';
import type { Act } from './ui.ts';

/** Performs the action of a key, with the same refusals as the command of that name. */
export async function performAct(repo: RepositoryHandle, run: RunId, act: Act): Promise<Outcome> {
  switch (act.act) {
    case 'approve':
    case 'reject':
      return await actOnNamed(repo, { action: act.act, subject: run, input: { hash: undefined } });
    case 'land':
    case 'pause':
    case 'stop':
    case 'abandon':
      return await actOnNamed(repo, { action: act.act, subject: run, input: {} });
    case 'resume':
      return await resumeRun(repo, run);
    case 'grant':
      return await actOnNamed(repo, { action: 'grant', subject: `${run}/${act.task}`, input: { paths: act.paths } });
    case 'raise': {
      const subject = act.task === null ? run : `${run}/${act.task}`;
      return await actOnNamed(repo, { action: 'raise', subject, input: { usd: act.usd } });
    }
    case 'drop':
      return await actOnNamed(repo, { action: 'drop', subject: `${run}/${act.task}`, input: { paths: [] } });
    case 'accept': {
      const input = { snapshot: act.snapshot };
      return await actOnNamed(repo, { action: 'accept', subject: `${run}/${act.task}`, input });
    }
    case 'rework': {
      const input = { message: act.message };
      return await actOnNamed(repo, { action: 'rework', subject: `${run}/${act.task}`, input });
    }
  }
}

/** The first line of what the command would have printed. */
export function noticeOf({ exit, lines = [], problems = [] }: Outcome): Text {
  const [said = 'done'] = exit === exitCodes.done ? lines : problems;
  const text =
    typeof said === 'string' ? said : said.map((part) => (typeof part === 'string' ? part : part.text)).join('');
  return [{ text, tone: exit === exitCodes.done ? 'good' : 'bad' }];
}

import { failureText } from '../../src/domain/explain/advice.ts';
import type { RunState } from '../../src/domain/run/run.ts';
import type { Project } from './project.ts';
import { handoff, scripted } from './project.ts';

/** A task that does its work and nothing else: it lands, whatever its siblings try. */
export const honest = scripted(`echo fine > honest.txt; ${handoff}`, { owns: ['honest.txt'] });

/** A task that goes on when a command of its script fails, and ends as its script says. */
export const rogue = (script: string, more: object = {}) => ({
  ...scripted('', { owns: ['tries.txt'], ...more }),
  command: ['/bin/sh', '-c', script],
});

/** What became of a task, in words that people read: its status and each finding against it. */
export function fateOf(state: RunState, task: string): readonly string[] {
  const progress = Object.values(state.tasks).find(({ id }) => id === task)?.progress;
  if (progress === undefined) return ['no such task'];
  if (progress.status === 'failed') return ['failed', failureText(progress)];
  if (progress.status !== 'held') return [progress.status];
  const { hold } = progress;
  if (hold.because === 'conflict') return ['held', `conflict ${hold.files.join(' ')}`];
  if (hold.because !== 'gate') return ['held', hold.because];
  const findings = hold.verdicts.flatMap((verdict) => {
    if (verdict.outcome === 'fail') return verdict.findings.map(({ rule, where }) => `${rule} ${where ?? ''}`.trim());
    return verdict.outcome === 'inconclusive' ? [`${verdict.gate} inconclusive`] : [];
  });
  return ['held', ...findings];
}

export const changedOnMain = (scene: Project, from: string): readonly string[] => {
  const lines = scene.git('diff', '--no-renames', '--name-status', from, 'main');
  return lines === '' ? [] : lines.split('\n').map((line) => line.replace('\t', ' '));
};

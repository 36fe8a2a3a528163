import { aRun, command } from '../../frame/command.ts';

const plan = { value: 'hash', about: 'decide only if this is the hash of the plan' } as const;

export const approveCommand = command({
  name: 'approve',
  group: 'decide',
  summary: 'approve the start or the landing of a run',
  arguments: { run: aRun },
  options: { plan },
  asks: ({ run, plan }) => ({ action: 'approve', subject: run, input: { hash: plan } }),
});

export const rejectCommand = command({
  name: 'reject',
  group: 'decide',
  summary: 'reject the start or the landing of a run',
  arguments: { run: aRun },
  options: { plan },
  asks: ({ run, plan }) => ({ action: 'reject', subject: run, input: { hash: plan } }),
});

export const holdCommand = command({
  name: 'hold',
  group: 'decide',
  summary: 'postpone the decision until you approve or reject',
  arguments: { run: aRun },
  options: { plan },
  asks: ({ run, plan }) => ({ action: 'hold', subject: run, input: { hash: plan } }),
});

import { aRunOrTask, command, usageError } from '../../frame/command.ts';

export const raiseCommand = command({
  name: 'raise',
  group: 'decide',
  summary: 'raise the budget; work that waited for it continues',
  arguments: { subject: aRunOrTask },
  options: { usd: { value: 'amount', required: true, about: 'dollars to add to the budget' } },
  asks: ({ subject, usd: typed }) => {
    const usd = /^\d{1,6}(\.\d{1,4})?$/.test(typed) ? Number(typed) : 0;
    return usd > 0
      ? { action: 'raise', subject, input: { usd } }
      : usageError('bad-amount', `raise: --usd takes an amount such as 5 or 2.50, not ${typed}`);
  },
});

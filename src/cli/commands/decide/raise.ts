import { aRunOrTask } from '../../frame/arguments.ts';
import { misused } from '../../frame/command.ts';
import { command } from '../../frame/definition.ts';

export const raiseCommand = command({
  name: 'raise',
  group: 'decide',
  summary: 'more money; what was paused for the lack of it goes on',
  arguments: { subject: aRunOrTask },
  options: { usd: { value: 'amount', required: true, about: 'dollars to add to the limit' } },
  asks: ({ subject, usd: typed }) => {
    const usd = /^\d{1,6}(\.\d{1,4})?$/.test(typed) ? Number(typed) : 0;
    return usd > 0
      ? { action: 'raise', subject, input: { usd } }
      : misused('bad-amount', `raise: --usd wants an amount such as 5 or 2.50, not ${typed}`);
  },
});

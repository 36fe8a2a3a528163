import { explain } from '../../../domain/explain/explain.ts';
import { confirmCommand } from '../../../domain/settings/layers.ts';
import type { Text } from '../../../ports/terminal.ts';
import { type Context, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import type { ConfigPorts, Configuration } from '../../frame/ports.ts';
import { findingLines } from '../begin/lint.ts';

export const configCommand = command({
  name: 'config',
  group: 'keep',
  summary: 'show the settings; confirm allows what the repository asks for',
  arguments: {
    action: { about: 'confirm: allow what the repository asks for', shown: 'confirm', choices: ['confirm'] },
  },
  options: {
    origin: { about: 'show where each value comes from' },
    plan: { value: 'file', about: 'include the settings of this plan' },
  },
  run: async ({ action, origin, plan }, context, { ports: { config } }) => {
    const ports = await config();
    const configuration = await ports.read(context, plan ?? null);
    if (!configuration.ok) return usageError('no-repository', `config: ${configuration.error}`);
    return action === 'confirm'
      ? await confirm(ports, context, configuration.value, plan)
      : show(configuration.value, origin);
  },
});

function show({ table, findings }: Configuration, withOrigin: boolean): Outcome {
  const rows = table.map(({ key, value, origin }) => ({ text: `${key}: ${JSON.stringify(value)}`, origin }));
  const width = Math.min(48, Math.max(...rows.map(({ text }) => text.length)));
  const lines = rows.map(
    ({ text, origin }): Text => (withOrigin ? [text.padEnd(width), { text: `  # ${origin}`, tone: 'dim' }] : text),
  );
  const settings = table.map(({ key, value, origin }) => ({ key, value, ...(withOrigin ? { origin } : {}) }));
  if (findings.length === 0) return done(lines, { settings, findings: [] });
  const mistakes = findings.flatMap((finding) => findingLines(finding, 'error'));
  return {
    exit: exitCodes.usage,
    reason: 'config-invalid',
    lines: [...lines, '', ...mistakes],
    data: { settings, findings: findings.map(explain) },
  };
}

/** Only a person at a terminal can confirm. There is no flag for it, so that no script of the repository can. */
async function confirm(
  ports: ConfigPorts,
  context: Context,
  { unconfirmed }: Configuration,
  plan: string | undefined,
): Promise<Outcome> {
  if (unconfirmed.length === 0) return done(['There is nothing to confirm.'], { confirmed: [] });
  const requests = unconfirmed.map(({ key, value }) => `${key}: ${JSON.stringify(value)}`);
  if (ports.agent(context) !== null || context.json || !context.terminal.interactive) {
    return {
      exit: exitCodes.personNeeded,
      reason: 'person-needed',
      needs: [{ kind: 'confirm', task: null, message: requests.join('; '), command: confirmCommand(plan) }],
    };
  }
  context.terminal.line('This repository asks for:');
  for (const line of requests) context.terminal.line([{ text: `  ${line}`, tone: 'waiting' }]);
  const answer = await context.terminal.ask('Allow it here? [y/N]');
  if (answer?.trim().toLowerCase() !== 'y') {
    return { exit: exitCodes.failed, reason: 'refused', lines: ['Nothing was confirmed.'], data: { confirmed: [] } };
  }
  const stored = await ports.confirm(
    context,
    unconfirmed.map(({ hash }) => hash),
  );
  return stored.ok ? done(['Confirmed.'], { confirmed: requests }) : usageError('no-state', `config: ${stored.error}`);
}

import { explain } from '../../domain/explain/explain.ts';
import { confirmCommand } from '../../domain/settings/layers.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { ConfigPorts, Configuration } from '../frame/ports.ts';
import { findingLines } from './lint.ts';

/** `tidegate config`: what every plan here starts from. `config confirm`: let what was asked for count. */
export async function showConfig(
  { action, origin, plan }: ConfigInput,
  context: Context,
  { ports: { config } }: Program,
): Promise<Outcome> {
  const ports = await config();
  const found = await ports.read(context, plan ?? null);
  if (!found.ok) return misused('no-repository', `config: ${found.error}`);
  return action === 'confirm' ? await confirm(ports, context, found.value, plan) : show(found.value, origin);
}

type ConfigInput = {
  readonly action: string | undefined;
  readonly origin: boolean;
  readonly plan: string | undefined;
};

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

/** Only a person at a terminal says yes: no flag stands for it, so that no script of the repository can. */
async function confirm(
  ports: ConfigPorts,
  context: Context,
  { unconfirmed }: Configuration,
  plan: string | undefined,
): Promise<Outcome> {
  if (unconfirmed.length === 0) return done(['Nothing waits to be confirmed.'], { confirmed: [] });
  const asked = unconfirmed.map(({ key, value }) => `${key}: ${JSON.stringify(value)}`);
  if (ports.agent(context) !== null || context.json || !context.terminal.interactive) {
    return {
      exit: exitCodes.personNeeded,
      reason: 'person-needed',
      needs: [{ kind: 'confirm', task: null, message: asked.join('; '), command: confirmCommand(plan) }],
    };
  }
  context.terminal.line('This repository asks for:');
  for (const line of asked) context.terminal.line([{ text: `  ${line}`, tone: 'waiting' }]);
  const answer = await context.terminal.ask('Let it count here? [y/N]');
  if (answer?.trim().toLowerCase() !== 'y') {
    return { exit: exitCodes.failed, reason: 'refused', lines: ['Nothing was confirmed.'], data: { confirmed: [] } };
  }
  const kept = await ports.confirm(
    context,
    unconfirmed.map(({ hash }) => hash),
  );
  return kept.ok ? done(['Confirmed.'], { confirmed: asked }) : misused('no-state', `config: ${kept.error}`);
}

import type { Result } from '../domain/result.ts';
import type { ResolvedSettings } from '../domain/settings.ts';
import type { Finding } from '../domain/verdict.ts';
import type { Text } from '../ports/terminal.ts';
import { type Context, done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { linesOf } from './lint.ts';

export type Configuration = {
  readonly settings: ResolvedSettings;
  /** Dotted key -> where its value comes from. */
  readonly origins: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
};
export type ConfigReader = (context: Context) => Promise<Result<Configuration, string>>;

/** `tidegate config [--origin]`: what every plan here starts from, after all layers. */
export const config =
  (read: ConfigReader): Register =>
  (command, does, context) => {
    command.option('--origin', 'show where each value comes from').action(
      does(async (options: { origin?: boolean }) => {
        const found = await read(context);
        if (!found.ok) return misused('no-repository', `config: ${found.error}`);
        return outcomeOf(found.value, options.origin === true);
      }),
    );
  };

function outcomeOf({ settings, origins, findings }: Configuration, withOrigin: boolean): Outcome {
  const values = flatten(settings);
  const width = Math.max(...values.map(({ key, text }) => key.length + text.length + 2));
  const lines = values.map(({ key, text }): Text => {
    const line = `${key}: ${text}`;
    const origin = origins[key] ?? 'default';
    return withOrigin ? [line.padEnd(Math.min(width, 60)), { text: `  # ${origin}`, tone: 'dim' }] : line;
  });
  const data = { settings, ...(withOrigin ? { origins } : {}), findings };
  if (findings.length === 0) return done(lines, data);
  const mistakes = findings.flatMap((finding) => linesOf(finding, 'error'));
  return { exit: exitCodes.usage, reason: 'config-invalid', lines: [...lines, '', ...mistakes], data };
}

/** Dotted keys; lists, and mappings whose keys are not ours, are one value. */
function flatten(settings: ResolvedSettings): readonly { readonly key: string; readonly text: string }[] {
  const whole = new Set(['generated']);
  const visit = (value: unknown, key: string): { key: string; text: string }[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !whole.has(key)
      ? Object.entries(value).flatMap(([name, inner]) => visit(inner, key === '' ? name : `${key}.${name}`))
      : [{ key, text: JSON.stringify(value) }];
  return visit(settings, '');
}

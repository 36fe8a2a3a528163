import { probeProgram, probeVisible } from '../adapters/fence/probe.ts';
import { userConfigFile } from '../adapters/plan-files/config.ts';
import { personsHome } from '../adapters/process/caller.ts';
import { findProgram } from '../adapters/process/program.ts';
import { programFix } from '../domain/explain/text.ts';
import { type ResolvedSettings, setupCommand } from '../domain/settings/settings.ts';
import { firstProgram, plainCommands } from '../domain/shell/plain-commands.ts';
import { describeRule, hiddenReasons, homely, readLine } from '../domain/toolchains/fence-advice.ts';
import { inSystem } from '../domain/toolchains/rows.ts';
import type { Examined } from '../ports/repository-handle.ts';
import { type DoctorContext, type Examination, probePlace, readConfig } from './context.ts';

/** Reports which of the person's programs a fence shows, and which programs of checks it does not. */
export const toolchainExaminations: readonly Examination[] = [toolchains, checkPrograms];

async function toolchains(context: DoctorContext): Promise<Examined> {
  const visible = probeVisible(context.env, await probePlace(context));
  if (visible === null) return { name: 'toolchains', state: 'warning', found: 'there is no fence', fix: null };
  const { home, shown, hidden, left, useless } = visible;
  const forRoot = useless.map((path) => `${homely(path, home)}   not visible: readable by root alone`);
  const count = shown.length - useless.length;
  return {
    name: 'toolchains',
    state: 'good',
    found: `${count} path${count === 1 ? '' : 's'} from your PATH can be read in the fence`,
    fix: null,
    shows: shown
      .filter(({ path }) => !useless.includes(path))
      .map(({ path, rule }) => ({ path: homely(path, home), rule: rule.rule, because: describeRule(rule, home) })),
    lines: [
      ...(hidden.length === 0
        ? []
        : [
            hidden.length === 1
              ? '1 private file in them is hidden'
              : `${hidden.length} private files in them are hidden`,
          ]),
      ...forRoot,
      ...left.map(({ path, why }) => `${homely(path, home)}   not visible: ${hiddenReasons[why]}`),
    ],
  };
}

/** Programs that setup and checks start, as far as their commands say; those of the system are always there. */
async function checkPrograms(context: DoctorContext): Promise<Examined> {
  const name = 'check programs';
  const settings = await settingsOf(context);
  const place = await probePlace(context);
  const setup = setupCommand(settings?.setup ?? null);
  const commands = [...(setup === null ? [] : [setup]), ...(settings?.checks ?? []).map(({ run }) => run)];
  const names = new Set(commands.flatMap((command) => plainCommands(command, '.').map(({ program }) => program)));
  const pathOf = (program: string) => findProgram(program, context.env, (path) => path)?.path ?? null;
  const found = [...names]
    .filter((program) => program !== '')
    .flatMap((program) => pathOf(program) ?? [])
    .filter((path) => !inSystem(path));
  const absent = [...new Set(commands.flatMap((command) => firstProgram(command) ?? []))].filter(
    (program) => pathOf(program) === null,
  );
  if (absent.length > 0)
    return {
      name,
      state: 'warning',
      found: `not on your PATH: ${absent.join(', ')}`,
      fix: 'install what is missing, or change the command in tidegate.yaml',
    };
  const failed = found.flatMap((path) => {
    const { missing, problem, lines } = probeProgram(context.env, { path, root: null }, place);
    return missing === null ? [] : [{ path, missing, problem, lines }];
  });
  const [first] = failed;
  if (first === undefined) {
    const seen = found.length === 0 ? 'none outside the system' : `${found.length} of your own, visible in the fence`;
    return { name, state: 'good', found: seen, fix: null };
  }
  return {
    name,
    state: 'warning',
    found: failed.map(({ path, problem }) => `${path} does not start in the fence: ${problem}`).join('; '),
    fix: hiddenProgramFix(first.path, [...new Set(failed.map(({ missing }) => missing))], context.env),
    lines: first.lines,
  };
}

/** Returns the fix for a program that does not start in the fence. `missing` lists the paths that it seems not to find there. */
export function hiddenProgramFix(path: string, missing: readonly string[], env: DoctorContext['env']): string {
  if (missing.length === 0) return programFix(path, null);
  const home = personsHome();
  return programFix(path, { text: readLine(missing, home), file: homely(userConfigFile(env, home), home) });
}

async function settingsOf(context: DoctorContext): Promise<ResolvedSettings | null> {
  const config = await readConfig(context);
  return config.ok ? config.value.resolution.settings : null;
}

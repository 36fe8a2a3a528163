import type { ProbePlace } from '../../adapters/fence/probe.ts';
import { personsHome } from '../../adapters/process/caller.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { Examine } from '../../cli/frame/ports.ts';
import { programFix } from '../../domain/explain/text.ts';
import { type ResolvedSettings, setupCommand } from '../../domain/settings/settings.ts';
import { firstProgram, plainCommands } from '../../domain/shell/plain-commands.ts';
import { describeRule, hiddenReasons, homely, readLine } from '../../domain/toolchains/fence-advice.ts';
import { inSystem } from '../../domain/toolchains/rows.ts';
import type { Examined } from '../../ports/repository-handle.ts';
import { pathsAtHome } from '../../supervisor/job/context.ts';

/** Reports which of the person's programs a fence shows, and which programs of checks it does not. */
export const toolchainExaminations: readonly Examine[] = [toolchains, checkPrograms];

async function toolchains(context: Context): Promise<Examined> {
  const { probeVisible } = await import('../../adapters/fence/probe.ts');
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
async function checkPrograms(context: Context): Promise<Examined> {
  const name = 'check programs';
  const [{ findProgram }, { probeProgram }] = await Promise.all([
    import('../../agents/common/program.ts'),
    import('../../adapters/fence/probe.ts'),
  ]);
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
    fix: await hiddenProgramFix(first.path, [...new Set(failed.map(({ missing }) => missing))], context.env),
    lines: first.lines,
  };
}

/** Returns the fix for a program that does not start in the fence. `missing` lists the paths that it seems not to find there. */
export async function hiddenProgramFix(path: string, missing: readonly string[], env: Context['env']): Promise<string> {
  if (missing.length === 0) return programFix(path, null);
  const { userConfigFile } = await import('../../adapters/plan-files/config.ts');
  const home = personsHome();
  return programFix(path, { text: readLine(missing, home), file: homely(userConfigFile(env, home), home) });
}

/** Outside of a repository nothing is closed, and only defaults hold. */
export async function probePlace(context: Context): Promise<ProbePlace> {
  const { findRepository, locateStateDirectory } = await import('../../adapters/state-directory/index.ts');
  const repository = await findRepository(context.cwd);
  if (!repository.ok) return { closed: [], read: [] };
  const { env, stateRoot: flag } = context;
  const surroundings = { flag, env, uid: process.getuid?.() ?? -1, home: personsHome() };
  const state = await locateStateDirectory(repository.value, surroundings);
  const settings = await settingsOf(context);
  return {
    closed: [repository.value.toplevel, ...(state.ok ? [state.value.path] : [])],
    read: settings === null ? [] : pathsAtHome(settings.fence.read, personsHome()),
  };
}

async function settingsOf(context: Context): Promise<ResolvedSettings | null> {
  const { readConfig } = await import('../plan-reader.ts');
  const config = await readConfig(context);
  return config.ok ? config.value.resolution.settings : null;
}

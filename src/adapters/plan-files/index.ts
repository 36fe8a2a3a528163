import { basename, dirname } from 'node:path';
import { agentKinds } from '../../agents/agents.ts';
import type { PlanHash } from '../../domain/base/ids.ts';
import type { CommandDefinitions } from '../../domain/check-definitions/reading.ts';
import { type Catalogues, cataloguePaths, lintTargets } from '../../domain/closure/catalogue.ts';
import { draftRoles, programOf, withDesign } from '../../domain/closure/role-drafts.ts';
import { draftResolver } from '../../domain/derived/resolver-draft.ts';
import type { DocumentRules } from '../../domain/findings/document-rules.ts';
import type { Finding, FindingOf, Rule } from '../../domain/findings/finding.ts';
import { lintDirective, lintDirectiveLength } from '../../domain/plan/directive.ts';
import { lintExits, lintExitWords } from '../../domain/plan/exit-lint.ts';
import { canonicalJson, type FrozenPlan, type Skill } from '../../domain/plan/plan.ts';
import type { Place, PlanDraft, PlanProblem } from '../../domain/plan/plan-draft.ts';
import { lintDefinitions, lintDirectives, lintDraft, lintSkills, lintTurns } from '../../domain/plan/plan-lint.ts';
import { lintPrograms, ownPrograms } from '../../domain/plan/program-lint.ts';
import { lintPromotions, promotesOf } from '../../domain/plan/promotions.ts';
import { protectWarnings } from '../../domain/scope/ownership.ts';
import { type Layer, type Loosening, type Resolution, resolveSettings } from '../../domain/settings/layers.ts';
import { isBadBranch, lintSettings } from '../../domain/settings/lint.ts';
import { setupCommand } from '../../domain/settings/settings.ts';
import { settingsOf } from '../../domain/settings/written-settings.ts';
import { lintSizing } from '../../planner/sizing.ts';
import { type Claimed, overlapsIn, roleFaults, tasksById, type WhereOf } from './claim-places.ts';
import { looseningHash, type PlanConfig, unconfirmedOf } from './config.ts';
import { formProblems, makeDraft, wavesOf } from './draft.ts';
import { fitSchema, isMapping } from './fit-schema.ts';
import { freeze, hashPlan } from './freeze.ts';
import { type PlanDocument, planSchema } from './schema.ts';
import {
  fromRoot,
  insideRepository,
  isWithin,
  pathFromRoot,
  readSource,
  readYaml,
  type YamlDocument,
} from './source-file.ts';

export { cataloguesOn, definitionsOn, type Start, skillsOn } from './base-files.ts';
export { looseningHash } from './config.ts';
export { hashPlan } from './freeze.ts';

type LoadedPlan =
  | {
      readonly ok: true;
      readonly plan: FrozenPlan;
      readonly hash: PlanHash;
      readonly planFile: string;
      readonly warnings: readonly Finding[];
      readonly resolution: Resolution;
    }
  | {
      readonly ok: false;
      readonly findings: readonly Finding[];
      readonly warnings: readonly Finding[];
      /** The values that `tidegate config confirm` would let count, with the hashes to keep. */
      readonly unconfirmed: readonly (Loosening & { readonly hash: string })[];
      /** Null when nothing of the plan could be read. */
      readonly resolution: Resolution | null;
    };

export const noConfig: PlanConfig = { below: [], above: [], confirmed: [], findings: [] };

/** The text of a plan. `as`: the file that it will become. `isSketch`: nobody has seen it, so findings have no places in it. */
export type PlanText = { readonly text: string; readonly as?: string; readonly isSketch?: true };

/**
 * Reads a plan and its directives, and freezes them. Changes no file.
 * Every mistake in all files is reported at once, each with its place.
 */
export async function loadPlan(request: {
  readonly root: string;
  /** A file, from the root, or the text of a plan. */
  readonly planFile: string | PlanText;
  /** Branch that the run starts from when no layer sets one; null on a detached head. */
  readonly currentBranch: string | null;
  /** True when a branch exists and has a commit. Absent: every branch does. */
  readonly hasBranch?: (branch: string) => Promise<boolean>;
  readonly config?: PlanConfig;
  /** Agents that can be driven; `scripted` is added by tests. */
  readonly runnable?: readonly string[];
  /** Reads the skills of a branch. Called only when a task names one. */
  readonly skills?: (branch: string) => Promise<ReadonlyMap<string, Skill>>;
  /** Reads the current levels of components from a file of a branch. Called only when a task promotes one. */
  readonly matrix?: (branch: string, path: string) => Promise<ReadonlyMap<string, string> | 'missing' | null>;
  /** Reads catalogues of benchmarks on a branch. Called only when an eval role names one. */
  readonly catalogues?: (branch: string, paths: readonly string[]) => Promise<Catalogues>;
  /** Reads the modes of files on a branch. Called only when a command names one. Absent: they are not looked for. */
  readonly modes?: (branch: string, paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Reads the definitions of commands on a branch. Absent: they are not looked for. */
  readonly definitions?: (
    branch: string,
    commands: readonly string[],
  ) => Promise<ReadonlyMap<string, CommandDefinitions>>;
}): Promise<LoadedPlan> {
  const loaded = await loadAsWritten(request);
  if (typeof request.planFile === 'string' || request.planFile.isSketch !== true) return loaded;
  const warnings = loaded.warnings.map(withoutUnwritten);
  return loaded.ok ? { ...loaded, warnings } : { ...loaded, findings: loaded.findings.map(withoutUnwritten), warnings };
}

/** `closure` of a wave replaces that of the plan, so it is judged by the same rule. */
function withWaves(document: PlanDocument, layer: Layer, resolve: (layer: Layer) => Resolution): Resolution {
  const resolution = resolve(layer);
  const ofWaves = wavesOf(document).flatMap(({ closure, place }) => {
    if (closure === null) return [];
    const where: Layer['where'] = (inner) => layer.where([...place, ...inner]);
    return resolve({ ...layer, settings: { closure }, where }).loosenings.filter(({ value }) => value === closure);
  });
  return { ...resolution, loosenings: [...resolution.loosenings, ...ofWaves] };
}

async function loadAsWritten(request: Parameters<typeof loadPlan>[0]): Promise<LoadedPlan> {
  const { root, config = noConfig, runnable = Object.keys(agentKinds) } = request;
  const opened =
    typeof request.planFile === 'string'
      ? await openPlan(root, request.planFile)
      : await parseText(root, request.planFile);
  if (opened.plan === null)
    return {
      ok: false,
      findings: [...config.findings, ...opened.findings],
      warnings: [],
      unconfirmed: [],
      resolution: null,
    };
  const { yaml, document, planPath, shown, problems, damaged } = opened.plan;

  const written = settingsOf(document);
  const layer: Layer = {
    name: shown,
    trust: 'plan',
    ...(typeof request.planFile === 'string' ? { file: request.planFile } : {}),
    settings: written,
    where: (place) => yaml.where(place),
  };
  const resolution = withWaves(document, layer, (one) =>
    resolveSettings([...config.below, one, ...config.above], (loosening) =>
      config.confirmed.includes(looseningHash(loosening)),
    ),
  );
  const from = { root, planPath, yaml };
  const read = await makeDraft(wavesOf(document), resolution.settings, from);
  const { findings: unread, locate, whereOf } = read;
  const draft = withDesign(read.draft);
  const tasks = draft.waves.flatMap((wave) => wave.tasks);
  const briefs = tasks.flatMap((task) => lintDirective(task, draft.settings.strict)).map(locate);

  const base = draft.settings.base ?? request.currentBranch;
  const namesSkills = base !== null && tasks.some((task) => (task.keys.skills ?? []).length > 0);
  const skills: ReadonlyMap<string, Skill> = (namesSkills ? await request.skills?.(base) : undefined) ?? new Map();

  const promotes = tasks.some((task) => Object.keys(promotesOf(task, draft.settings)).length > 0);
  const { matrix: matrixFile } = draft.settings;
  const matrix =
    promotes && matrixFile !== null && base !== null ? ((await request.matrix?.(base, matrixFile)) ?? null) : null;
  const named = cataloguePaths(draft);
  const catalogues: Catalogues =
    (base === null || named.length === 0 ? undefined : await request.catalogues?.(base, named)) ?? new Map();

  const judged = [
    ...formProblems(document),
    ...lintSettings(written),
    ...lintDraft(draft, runnable),
    ...lintExits(draft),
    ...lintSkills(draft, skills, base ?? ''),
    ...lintTargets(draft, catalogues, base ?? ''),
    ...lintPromotions(draft, matrix, base ?? ''),
  ];
  const mistakes = [...problems, ...judged.filter((problem) => !isEcho(problem, problems, damaged))];
  const findings = sorted([
    ...config.findings,
    ...opened.findings,
    ...mistakes.map(locate),
    ...resolution.loosenings.map((loosening) => loosening.finding),
    ...unread,
    ...(draft.settings.strict ? briefs : []),
    ...(await baseFindings(base, resolution, shown, request.hasBranch)),
  ]);
  const long = [
    ...tasks.flatMap(lintDirectiveLength),
    ...lintSizing(draft, written),
    ...lintTurns(draft),
    ...lintExitWords(draft),
  ].map(locate);
  const warnings = [...(draft.settings.strict ? [] : briefs), ...long];
  const unconfirmed = unconfirmedOf(resolution);
  const refused = (all: readonly Finding[]) =>
    ({ ok: false, findings: sorted(all), warnings, unconfirmed, resolution }) as const;
  if (findings.length > 0 || base === null) {
    const isWhole = opened.findings.length + problems.length + unread.length === 0;
    return refused([...findings, ...(isWhole ? overlapsDespite(judged, draft, whereOf) : [])]);
  }
  const { checks } = draft.settings;
  const setup = setupCommand(draft.settings.setup);
  const roles = draft.waves.flatMap((_, wave) => draftRoles(draft, wave).flatMap((role) => programOf(role) ?? []));
  const commands = [
    ...checks.map(({ run }) => run),
    ...(checks.length === 0 || setup === null ? [] : [setup]),
    ...roles,
    ...[draftResolver(draft) ?? []].flat().flatMap((resolver) => programOf(resolver) ?? []),
  ];
  const definitions = (await request.definitions?.(base, commands)) ?? new Map<string, CommandDefinitions>();
  const levels = matrix === 'missing' ? null : matrix;
  const plan = freeze(draft, document.name ?? slugOf(shown), base, { skills, catalogues, definitions, matrix: levels });
  const refusals = refusalsOf(plan, draft, whereOf);
  if (refusals.length > 0) return refused(refusals);
  const programs = ownPrograms(plan);
  const modes =
    programs.length === 0
      ? undefined
      : await request.modes?.(
          base,
          programs.map(({ path }) => path),
        );
  const commandFiles = modes === undefined ? [] : lintPrograms(programs, modes, base);
  const guarded = plan.waves.flatMap((_, wave) => protectWarnings(plan, wave));
  return {
    ok: true,
    plan,
    hash: hashPlan(plan),
    planFile: shown,
    warnings: [...warnings, ...guarded, ...lintDefinitions(checks, setup, definitions), ...commandFiles],
    resolution,
  };
}

type Opened = {
  readonly yaml: YamlDocument;
  readonly document: PlanDocument;
  readonly planPath: string;
  readonly shown: string;
  readonly problems: readonly PlanProblem[];
  readonly damaged: readonly Place[];
};

/** A plan may be one redirect away. */
async function openPlan(
  root: string,
  planFile: string,
  redirected = false,
): Promise<{ readonly plan: Opened | null; readonly findings: readonly Finding[] }> {
  const planPath = fromRoot(root, planFile);
  const isOurs = isWithin(root, planPath);
  const shown = isOurs ? pathFromRoot(root, planPath) : planFile;
  // A person may name any file; a link that came with the repository may not choose one for them.
  if (isOurs && (await insideRepository(root, root, shown)) === null)
    return { plan: null, findings: [{ rule: 'leaves-repository', path: shown, where: shown }] };
  const source = await readSource(planPath, shown);
  if (!source.ok) return { plan: null, findings: [source.finding] };
  return await parsePlan(root, source.text, { planPath, shown }, redirected);
}

/** A text that will become a file is read as that file. It may not redirect to another plan, which could lead anywhere. */
function parseText(root: string, { text, as }: PlanText) {
  const shown = as ?? unwritten;
  return parsePlan(root, text, { planPath: fromRoot(root, shown), shown }, as !== undefined);
}

async function parsePlan(
  root: string,
  text: string,
  { planPath, shown }: Pick<Opened, 'planPath' | 'shown'>,
  redirected = false,
): Promise<{ readonly plan: Opened | null; readonly findings: readonly Finding[] }> {
  const { document: yaml, findings } = readYaml(text, shown);
  if (yaml === null) return { plan: null, findings };
  if (!isMapping(yaml.value) || Array.isArray(yaml.value)) {
    const fault = yaml.value === null || yaml.value === undefined ? 'empty' : 'no-mapping';
    return { plan: null, findings: [...findings, { rule: 'empty-plan', fault, where: yaml.where([]) }] };
  }
  const { data, problems, damaged } = fitSchema<PlanDocument>(planSchema, yaml.value);
  if (data === null) return { plan: null, findings: sorted([...findings, ...problems.map(yaml.finding)]) };
  const plan = { yaml, document: data, planPath, shown, problems, damaged };
  if (data.plan === undefined) return { plan, findings };

  const refuse = (fault: DocumentRules['bad-redirect']) => ({
    plan: null,
    findings: [
      ...findings,
      ...problems.map(yaml.finding),
      { rule: 'bad-redirect', ...fault, where: yaml.where(['plan']) } as const,
    ],
  });
  if (redirected) return refuse({ fault: 'second' });
  if (Object.keys(yaml.value).length > 1) return refuse({ fault: 'other-keys' });
  const target = await insideRepository(root, dirname(planPath), data.plan);
  return target === null ? refuse({ fault: 'leaves-repository', path: data.plan }) : openPlan(root, target, true);
}

/** The name of a file that does not exist yet. Places in it are left out. */
const unwritten = 'the plan';

function withoutUnwritten(finding: Finding): Finding {
  if (finding.rule === 'ownership-conflict') return withoutPlaces(finding, isUnwritten);
  return finding.where !== undefined && isUnwritten(finding.where) ? withoutPlace(finding) : finding;
}

// generic, because the compiler does not spread the union of all findings
const withPlaceAt = <F extends Finding>(finding: F, where: string): F => ({ ...finding, where });
const withoutPlace = <F extends Finding>({ where: _, ...finding }: F): F => finding as Finding as F;

const isUnwritten = (where: string): boolean => where === unwritten || where.startsWith(`${unwritten}:`);

/** True when a problem only shows the gap that a reported mistake left: lint sees the rest of a broken document. */
function isEcho(problem: PlanProblem, reported: readonly PlanProblem[], cuts: readonly Place[]): boolean {
  const startsWith = (place: Place, start: Place) => start.every((step, index) => place[index] === step);
  if (reported.some(({ place }) => place.length > 0 && startsWith(problem.place, place))) return true;
  if (problem.rule === 'empty-plan')
    return cuts.some(([key]) => key === undefined || key === 'tasks' || key === 'waves');
  if (problem.rule === 'unknown-agent' || problem.rule === 'command-missing')
    return cuts.some((cut) => cut.at(-1) === 'agent' || cut.at(-1) === 'command');
  if (problem.rule === 'empty-wave') return cuts.some((cut) => startsWith(cut, problem.place));
  const cutTask = (cut: Place) => problem.rule === 'unknown-need' && problem.need === cut.at(-1);
  return cuts.some((cut) => startsWith(problem.place, cut) || cutTask(cut));
}

function sorted(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ where = '' }: Finding) => where.replace(/\d+/g, (digits) => digits.padStart(8, '0'));
  const unique = new Map(findings.map((finding) => [canonicalJson(finding), finding]));
  return [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** The name of a run begins with it, so it is a valid id whatever the file is called. */
function slugOf(file: string): string {
  const slug = basename(file)
    .replace(/\.(ya?ml|json)$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 48)
    .replace(/-+$/, '');
  return slug || 'plan';
}

/** Returns the findings for which the phases before approval refuse a frozen plan, each with its place in the files. */
const refusalsOf = (plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] => [
  ...refusedDirectives(plan, draft, whereOf),
  ...overlapsIn(plan, draft, whereOf),
  ...roleFaults(plan, draft, whereOf),
];

/** The same of a plan with other mistakes, as long as they leave its claims as they are. */
const overlapsDespite = (mistakes: readonly PlanProblem[], draft: PlanDraft, whereOf: WhereOf): readonly Finding[] =>
  mistakes.some(({ rule }) => hidesClaims.has(rule)) ? [] : overlapsIn(claimsAlone(draft), draft, whereOf);

/** Mistakes that leave open which paths a task claims, or which tasks are ordered. */
const hidesClaims: ReadonlySet<Rule> = new Set<Rule>([
  'bad-pattern',
  'leaves-repository',
  'bad-id',
  'duplicate-id',
  'unknown-need',
  'later-need',
  'cycle',
]);

/** Frozen as if it had no mistake. */
const claimsAlone = (draft: PlanDraft): FrozenPlan =>
  freeze({ ...draft, settings: { ...draft.settings, land: 'ask', dispatch: 'isolated' } }, 'plan', '');

/** The branch that a run starts from and lands on has to be there. */
async function baseFindings(
  base: string | null,
  { settings, origins }: Resolution,
  planFile: string,
  hasBranch: ((branch: string) => Promise<boolean>) | undefined,
): Promise<readonly Finding[]> {
  if (base === null) return [{ rule: 'no-base', where: planFile }];
  if (hasBranch === undefined || isBadBranch(base) || (await hasBranch(base))) return [];
  const where = settings.base === null ? planFile : (origins['base'] ?? planFile);
  return [{ rule: 'base-missing', branch: base, where }];
}

/** Without the places in a file that nobody has seen; those in directives stay. */
function withoutPlaces(conflict: FindingOf<'ownership-conflict'>, isUnseen: (where: string) => boolean): Finding {
  const { where, ...rest } = conflict;
  const withoutUnseen = ({ at, ...claim }: Claimed): Claimed =>
    at === undefined || isUnseen(at) ? claim : { ...claim, at };
  const overlaps = rest.overlaps.map(({ claims: [a, b], ...overlap }) => ({
    ...overlap,
    claims: [withoutUnseen(a), withoutUnseen(b)] as const,
  }));
  return { ...rest, overlaps, ...(where === undefined || isUnseen(where) ? {} : { where }) };
}

function refusedDirectives(plan: FrozenPlan, draft: PlanDraft, whereOf: WhereOf): readonly Finding[] {
  const tasks = tasksById(draft);
  return plan.waves
    .flatMap((_, wave) => lintDirectives(plan, wave).errors)
    .map((finding): Finding => {
      const task = 'task' in finding ? tasks.get(String(finding.task)) : undefined;
      return task === undefined || task.file !== null ? finding : withPlaceAt(finding, whereOf([...task.place, 'do']));
    });
}

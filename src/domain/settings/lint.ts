import { addressFault } from '../base/web-address.ts';
import { subjectFault } from '../plan/commit-subject.ts';
import type { Network } from '../plan/plan.ts';
import type { PlanProblem } from '../plan/plan-draft.ts';
import { lintPattern, lintPatterns } from '../plan/plan-lint.ts';
import { parseHostPattern } from './network-hosts.ts';
import type { Settings } from './settings.ts';

/** Mistakes in the keys that plans and configuration files share. */
export function lintSettings(settings: Settings): readonly PlanProblem[] {
  return [
    ...notInThisVersion(settings),
    ...lintBase(settings.base),
    ...lintCommit(settings.commit),
    ...lintPatterns(settings.protect ?? [], ['protect']),
    ...(typeof settings.setup === 'object' ? lintPatterns(settings.setup?.inputs ?? [], ['setup', 'inputs']) : []),
    ...lintPatterns(settings.unprotect ?? [], ['unprotect']),
    ...Object.keys(settings.generated ?? {}).flatMap((path) => lintGenerated(path)),
    ...lintChecks(settings.checks ?? []),
    ...(['read', 'write'] as const).flatMap((key) => lintFencePaths(settings.fence?.[key] ?? [], key)),
    ...lintHosts(settings.fence?.network),
    ...lintAddresses(settings),
  ];
}

function notInThisVersion({ dispatch, repair }: Settings): readonly PlanProblem[] {
  const refuse = (key: 'dispatch' | 'repair', value: string): PlanProblem => ({
    rule: 'not-in-this-version',
    key,
    value,
    place: [key],
  });
  return [
    ...(dispatch === undefined || dispatch === 'isolated' ? [] : [refuse('dispatch', dispatch)]),
    ...(repair ? [refuse('repair', repair)] : []),
  ];
}

const lintBase = (base: Settings['base']): readonly PlanProblem[] =>
  typeof base === 'string' && isBadBranch(base) ? [{ rule: 'bad-branch', branch: base, place: ['base'] }] : [];

/** False for a name that git accepts for a branch and that no git command could take for an option or an expression. */
export const isBadBranch = (base: string): boolean =>
  notABranch.test(base) || [...base].some((character) => character < ' ');
const notABranch = /^[-/.]|[\s~^:?*[\\\u007f]|\.\.|@\{|\/\/|\/\.|[/.]$|\.lock$/;

function lintCommit(template: string | null | undefined): readonly PlanProblem[] {
  const fault = template === null || template === undefined ? null : subjectFault(template);
  return fault === null ? [] : [{ rule: 'bad-commit-template', ...fault, place: ['commit'] }];
}

function lintGenerated(path: string): readonly PlanProblem[] {
  const place = ['generated', path];
  const problems = lintPattern(path, place).map((problem) => ({ ...problem, at: 'key' as const }));
  if (problems.length > 0 || !/[*?]|\/$/.test(path)) return problems;
  return [{ rule: 'bad-pattern', pattern: path, fault: { reason: 'several-generated' }, place, at: 'key' }];
}

function lintChecks(checks: NonNullable<Settings['checks']>): readonly PlanProblem[] {
  return checks.flatMap(({ name: check, defines = [], parse }, index): readonly PlanProblem[] => [
    ...lintPatterns(defines, ['checks', index, 'defines']),
    ...(typeof parse === 'object' && !('count' in parse)
      ? Object.entries(parse).flatMap(([key, path]) => lintPattern(path, ['checks', index, 'parse', key]))
      : []),
    ...(checks.findIndex((other) => other.name === check) === index
      ? []
      : [{ rule: 'duplicate-check', check, place: ['checks', index, 'name'] } as const]),
  ]);
}

function lintFencePaths(paths: readonly string[], key: string): readonly PlanProblem[] {
  return paths.flatMap((path, index): PlanProblem[] =>
    /^(\/|~\/)/.test(path) && !path.split('/').includes('..')
      ? []
      : [{ rule: 'bad-fence-path', path, place: ['fence', key, index] }],
  );
}

function lintHosts(network: Network | null | undefined): readonly PlanProblem[] {
  if (!Array.isArray(network)) return [];
  return (network as readonly string[]).flatMap((host, index): PlanProblem[] => {
    const parsed = parseHostPattern(host);
    return parsed.ok ? [] : [{ rule: 'bad-host', host, fault: parsed.error, place: ['fence', 'network', index] }];
  });
}

/** No problem repeats the address itself: some hold a secret in their path. */
function lintAddresses({ thread, notify }: Settings): readonly PlanProblem[] {
  const webhook = typeof notify === 'object' && notify !== null && 'webhook' in notify ? notify.webhook : null;
  const addresses: readonly (readonly [string | null | undefined, PlanProblem['place']])[] = [
    [thread?.intake, ['thread', 'intake']],
    [thread?.threads, ['thread', 'threads']],
    [webhook, ['notify', 'webhook']],
  ];
  return addresses.flatMap(([address, place]): PlanProblem[] => {
    const hasQuery = place[0] === 'thread' && address?.includes('?') === true;
    const fault = hasQuery ? 'query' : address ? addressFault(address) : null;
    return fault === null ? [] : [{ rule: 'bad-address', key: place.join('.'), fault, place }];
  });
}

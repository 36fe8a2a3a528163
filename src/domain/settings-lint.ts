import { parseHostPattern } from './network-hosts.ts';
import type { Network } from './plan.ts';
import type { Problem } from './plan-draft.ts';
import { lintPattern, lintPatterns } from './plan-lint.ts';
import type { Settings } from './settings.ts';
import { mistakeInAddress } from './web-address.ts';

/** Mistakes in the keys that plans and configuration files share. */
export function lintSettings(settings: Settings): readonly Problem[] {
  return [
    ...notInThisVersion(settings),
    ...lintBase(settings.base),
    ...lintPatterns(settings.protect ?? [], ['protect']),
    ...Object.keys(settings.generated ?? {}).flatMap((path) => lintGenerated(path)),
    ...lintChecks(settings.checks ?? []),
    ...(['read', 'write'] as const).flatMap((key) => lintFencePaths(settings.fence?.[key] ?? [], key)),
    ...lintHosts(settings.fence?.network),
    ...lintAddresses(settings),
  ];
}

function notInThisVersion({ land, dispatch, repair }: Settings): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (key: string, value: string, fix: string) =>
    problems.push({
      rule: 'not-in-this-version',
      detail: `\`${key}: ${value}\` is not in this version`,
      place: [key],
      fix,
    });
  if (land === 'pr') refuse('land', land, 'use `land: branch` and open the pull request from that branch');
  if (dispatch !== undefined && dispatch !== 'isolated') refuse('dispatch', dispatch, 'use `dispatch: isolated`');
  if (repair) refuse('repair', repair, 'use `repair: null`');
  return problems;
}

/** A branch name that git would take, and that no git command could take for an option or an expression. */
function lintBase(base: string | undefined): readonly Problem[] {
  if (base === undefined || !(notABranch.test(base) || [...base].some((character) => character < ' '))) return [];
  return [{ rule: 'bad-branch', detail: `\`${base}\` is not a branch name`, place: ['base'] }];
}
const notABranch = /^[-/.]|[\s~^:?*[\\\u007f]|\.\.|@\{|\/\/|\/\.|[/.]$|\.lock$/;

function lintGenerated(path: string): readonly Problem[] {
  const place = ['generated', path];
  const problems = lintPattern(path, place).map((problem) => ({ ...problem, at: 'key' as const }));
  if (problems.length > 0 || !/[*?]|\/$/.test(path)) return problems;
  return [{ rule: 'bad-pattern', detail: `\`${path}\`: a generated file is one path`, place, at: 'key' }];
}

function lintChecks(checks: NonNullable<Settings['checks']>): readonly Problem[] {
  return checks.flatMap((check, index) =>
    checks.findIndex((other) => other.name === check.name) === index
      ? []
      : [
          {
            rule: 'duplicate-check',
            detail: `two checks are named \`${check.name}\``,
            place: ['checks', index, 'name'],
          },
        ],
  );
}

function lintFencePaths(paths: readonly string[], key: string): readonly Problem[] {
  return paths.flatMap((path, index) =>
    /^(\/|~\/)/.test(path) && !path.split('/').includes('..')
      ? []
      : [
          {
            rule: 'bad-fence-path',
            detail: `\`${path}\` is not an absolute path`,
            place: ['fence', key, index],
            fix: 'begin it with `/` or `~/`, without `..`',
          },
        ],
  );
}

function lintHosts(network: Network | null | undefined): readonly Problem[] {
  if (!Array.isArray(network)) return [];
  return (network as readonly string[]).flatMap((text, index) => {
    const parsed = parseHostPattern(text);
    if (parsed.ok) return [];
    const place = ['fence', 'network', index];
    const fix = 'write `example.org`, `*.example.org` or `example.org:8443`, without scheme and path';
    return [{ rule: 'bad-host', detail: `\`${text}\`: ${parsed.error}`, place, fix }];
  });
}

/** The address itself is not repeated: some hold a secret in their path. */
function lintAddresses({ thread, notify }: Settings): readonly Problem[] {
  const webhook = typeof notify === 'object' && notify !== null && 'webhook' in notify ? notify.webhook : null;
  const given: readonly (readonly [string | null | undefined, Problem['place']])[] = [
    [thread?.intake, ['thread', 'intake']],
    [thread?.threads, ['thread', 'threads']],
    [webhook, ['notify', 'webhook']],
  ];
  return given.flatMap(([address, place]) => {
    const isKept = place[0] === 'thread' && address?.includes('?') === true;
    const mistake = isKept
      ? 'what follows `?` would be kept in the ledger'
      : address
        ? mistakeInAddress(address)
        : null;
    const fix = 'write `https://…`, or `http://127.0.0.1:…` on this machine, without user, password and query';
    return mistake === null ? [] : [{ rule: 'bad-address', detail: `\`${place.join('.')}\`: ${mistake}`, place, fix }];
  });
}

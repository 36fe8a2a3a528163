import { addressFaults } from '../../base/web-address.ts';
import type { SettingsRules } from '../../findings/plan/settings-rules.ts';
import { subjectPlaceholders } from '../../plan/commit-subject.ts';
import { confirmCommand } from '../../settings/confirm-command.ts';
import { hostFaultTexts, patternFaultText } from '../faults.ts';
import type { Sentences } from '../sentence.ts';

const versionFixes = {
  dispatch: 'use `dispatch: isolated`',
  repair: 'use `repair: null`',
} as const;

const subjectFaults = {
  'several-lines': 'has more than one line',
  empty: 'is empty',
  unprintable: 'has a character that cannot be seen, or that reorders text',
  'too-long': 'leaves no room for a title in 72 characters',
} as const;

export const settingsSentences: Sentences<SettingsRules> = {
  'leaves-repository': ({ path, fault }) =>
    fault === undefined ? `\`${path}\` leaves the repository` : `\`${path}\`: ${patternFaultText(fault)}`,
  'bad-pattern': ({ pattern, fault }) => {
    const detail = `\`${pattern}\`: ${patternFaultText(fault)}`;
    return fault.reason === 'several-drafts' ? { detail, fix: 'name the plan itself' } : detail;
  },
  'reserved-pattern': ({ pattern, directory }) => `\`${pattern}\`: ${directory}/ is reserved`,
  'not-in-this-version': ({ key, value }) => ({
    detail: `\`${key}: ${value}\` is not in this version`,
    fix: versionFixes[key],
  }),
  'bad-branch': ({ branch }) => `\`${branch}\` is not a branch name`,
  'bad-commit-template': (fault) => ({
    detail: `the commit template ${fault.fault === 'unknown-placeholder' ? `has \`${fault.token}\`` : subjectFaults[fault.fault]}`,
    fix: `write one line, such as \`{task}: {title}\`, with ${subjectPlaceholders.map((name) => `{${name}}`).join(', ')}`,
  }),
  'duplicate-check': ({ check }) => `two checks are named \`${check}\``,
  'bad-fence-path': ({ path }) => ({
    detail: `\`${path}\` is not an absolute path`,
    fix: 'begin it with `/` or `~/`, without `..`',
  }),
  'bad-host': ({ host, fault }) => ({
    detail: `\`${host}\`: ${hostFaultTexts[fault]}`,
    fix: 'write `example.org`, `*.example.org` or `example.org:8443`, without scheme and path',
  }),
  'bad-address': ({ key, fault }) => ({
    detail: `\`${key}\`: ${fault === 'query' ? 'what follows `?` would be kept in the ledger' : addressFaults[fault]}`,
    fix: 'write `https://…`, or `http://127.0.0.1:…` on this machine, without user, password and query',
  }),
  'needs-confirmation': ({ key, words, file }) => ({
    detail: `the repository asks for \`${key}: ${words}\`, which is more than you allow`,
    fix: `look at it, then \`${confirmCommand(file)}\`; or remove it`,
  }),
};

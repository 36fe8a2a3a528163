import type { Finding, Rule } from '../findings/finding.ts';

/** Rules whose sentence names the place itself; the others are shown behind it. */
const naming: ReadonlySet<Rule> = new Set<Rule>([
  'read-only',
  'locked',
  'agent-config',
  'check-definition',
  'out-of-scope',
  'protected',
  'bad-path',
  'git-path',
  'reserved-path',
  'nested-repository',
  'bad-mode',
  'link-leaves',
  'two-spellings',
  'owns-protected',
  'outside-workspace',
  'own-config',
  'draft-read',
  'generated-not-plain',
  'generated-replaces',
  'handoff-directory',
  'handoff-file',
  'handoff-size',
]);

/** A sentence behind the place that it is about. */
export const withPlace = ({ rule, where }: Finding, detail: string): string =>
  where === undefined || naming.has(rule) ? detail : `${where}: ${detail}`;

import type { AddressFault } from '../../base/web-address.ts';
import type { SubjectFault } from '../../plan/commit-subject.ts';
import type { PatternFault } from '../../scope/pattern.ts';
import type { HostFault } from '../../settings/network-hosts.ts';

/** Wrong values in plans and configuration. */
export type SettingsRules = {
  /** Of a pattern, why it leaves; of a path, nothing. */
  'leaves-repository': { readonly path: string; readonly fault?: PatternFault };
  'bad-pattern': {
    readonly pattern: string;
    readonly fault: PatternFault | { readonly reason: 'several-drafts' | 'several-generated' };
  };
  'reserved-pattern': { readonly pattern: string; readonly directory: string };
  'not-in-this-version': { readonly key: 'dispatch' | 'repair'; readonly value: string };
  'bad-branch': { readonly branch: string };
  'bad-commit-template': SubjectFault;
  'duplicate-check': { readonly check: string };
  'bad-fence-path': { readonly path: string };
  'bad-host': { readonly host: string; readonly fault: HostFault };
  /** Without the address: some hold a secret in their path. */
  'bad-address': { readonly key: string; readonly fault: AddressFault | 'query' };
  /** Files of a repository ask for more than the person allows. `words` is the value as JSON. */
  /** `file`: the plan that asks. */
  'needs-confirmation': { readonly key: string; readonly words: string; readonly file?: string };
};

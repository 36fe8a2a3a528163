/** Why a call of an agent was not carried out; those about its scope are `ScopeRules` without a `change`. */
export type DenialRules = {
  /** `where` is the path: in the person's checkout, or anywhere else. */
  'outside-workspace': { readonly place: 'checkout' | 'elsewhere'; readonly workspace: string };
  /** `where` is a path in the agent's home that steers agents. */
  'own-config': unknown;
  'git-command': { readonly command: string };
  'no-verify': unknown;
  'removes-workspace': { readonly target: string };
  /** `pattern` as `block` or `forbid` has it. */
  'blocked-command': { readonly pattern: string };
  forbidden: { readonly pattern: string };
  network: NetworkFault;
  /** The agent's own settings refused it. */
  'agent-denied': { readonly words: string };
};

/** `target` is host and port as they were asked for. */
export type NetworkFault =
  | { readonly fault: 'not-host' | 'not-listed' | 'not-proxy-request'; readonly target: string }
  | { readonly fault: 'not-public'; readonly target: string; readonly addresses: readonly string[] };

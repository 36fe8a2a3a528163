/** Why a handoff is not taken. `where` is its file; absent for one that came through the socket. */
export type HandoffRules = {
  'handoff-directory': unknown;
  'handoff-file': { readonly kind: 'irregular' | 'link' | 'socket' | 'unreadable' };
  'handoff-size': { readonly bytes: number; readonly limit: number };
  'handoff-encoding': unknown;
  'handoff-json': unknown;
  'handoff-schema': HandoffMisfit;
  'handoff-stale': unknown;
};

export type HandoffMisfit =
  | { readonly fault: 'not-object' | 'status' | 'summary' | 'nonce' }
  | { readonly fault: 'unknown-key' | 'list'; readonly key: string };

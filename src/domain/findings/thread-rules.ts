import type { AddressFault } from '../web-address.ts';

/** Why nothing came of posting to an address, or of opening a thread there. */
export type ThreadRules = {
  'post-address': { readonly fault: AddressFault };
  'post-redirected': { readonly status: number };
  'post-endless': unknown;
  'post-late': { readonly seconds: number };
  'post-cut-short': unknown;
  /** The system's code; null when it has none that can be shown. */
  'post-unreachable': { readonly code: string | null };
  'post-answered': { readonly status: number };
  'token-unset': { readonly variable: string };
  'token-unfit': { readonly variable: string };
  'thread-without-id': unknown;
  'thread-log': { readonly code: string };
};

import type { AddressFault } from '../../base/web-address.ts';

/** Why nothing came of posting to an address, or of opening a thread there. */
export type ThreadRules = {
  'delivery-address': { readonly fault: AddressFault };
  'delivery-redirected': { readonly status: number };
  'delivery-endless': unknown;
  'delivery-late': { readonly seconds: number };
  'delivery-cut-short': unknown;
  /** The system's code; null when it has none that can be shown. */
  'delivery-unreachable': { readonly code: string | null };
  'delivery-refused': { readonly status: number };
  'token-unset': { readonly variable: string };
  'token-unfit': { readonly variable: string };
  'thread-without-id': unknown;
  'thread-log': { readonly code: string };
};

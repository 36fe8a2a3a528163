/**
 * Returns the reason why nothing is sent to an address, or null. Everything that leaves the machine is encrypted. Addresses are stored
 * and shown, so they must hold no password.
 */
export function mistakeInAddress(text: string): string | null {
  const fault = addressFault(text);
  return fault === null ? null : addressFaults[fault];
}

export const addressFaults = {
  malformed: 'it is not a URL',
  password: 'it contains a password',
  fragment: 'it has a fragment',
  scheme: 'it must use https',
  unencrypted: 'http is allowed for this machine only; use https',
} as const;
export type AddressFault = keyof typeof addressFaults;

export function addressFault(text: string): AddressFault | null {
  const url = URL.parse(text);
  if (url === null) return 'malformed';
  if (url.username !== '' || url.password !== '') return 'password';
  if (url.hash !== '') return 'fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'scheme';
  return isLoopback(url.hostname) ? null : 'unencrypted';
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/**
 * Why nothing is sent to an address, or null. What leaves the machine is encrypted; an address is stored and shown, so it holds
 * no password.
 */
export function mistakeInAddress(text: string): string | null {
  const fault = addressFault(text);
  return fault === null ? null : addressFaults[fault];
}

export const addressFaults = {
  malformed: 'it is not an address',
  password: 'it holds a password',
  fragment: 'it has a fragment',
  scheme: 'only https is spoken',
  unencrypted: 'only https is spoken with other machines',
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

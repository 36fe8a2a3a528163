export type AddressFault = 'not-an-address' | 'password' | 'fragment' | 'scheme' | 'plain-http';

/**
 * Why nothing is sent to an address, or null. What leaves the machine is encrypted; an address is stored and shown, so it holds
 * no password.
 */
export function faultInAddress(text: string): AddressFault | null {
  const url = URL.parse(text);
  if (url === null) return 'not-an-address';
  if (url.username !== '' || url.password !== '') return 'password';
  if (url.hash !== '') return 'fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'scheme';
  return isLoopback(url.hostname) ? null : 'plain-http';
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

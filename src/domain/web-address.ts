/**
 * Why nothing is sent to an address, or null. What leaves the machine is encrypted; an address is stored and shown, so it holds
 * no password.
 */
export function mistakeInAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return 'it is not an address';
  if (url.username !== '' || url.password !== '') return 'it holds a password';
  if (url.hash !== '') return 'it has a fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'only https is spoken';
  return isLoopback(url.hostname) ? null : 'only https is spoken with other machines';
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

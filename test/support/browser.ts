import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const chromium = '/usr/bin/chromium';

/** False where Chromium is not installed. Tests that need it are skipped then. */
export const hasBrowser = existsSync(chromium);
if (!hasBrowser) console.log('chromium is not installed: no page is looked at in a browser');

/** Returns a page as HTML, after its scripts have run. Cookies stay in the profile. */
export async function pageInBrowser(profile: string, url: string): Promise<string> {
  const quiet = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const args = [...quiet, `--user-data-dir=${profile}`, '--virtual-time-budget=10000', '--dump-dom', url];
  return (await promisify(execFile)(chromium, args, { timeout: 60_000 })).stdout;
}

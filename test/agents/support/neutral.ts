import { hostname } from 'node:os';
import type { Installed } from './installed.ts';

export interface Traces {
  readonly root: string;
  readonly installed: Installed;
  readonly agent: string;
  readonly url: string;
}

/** Takes this machine out of a text: directories, program, port and host name. */
export function neutral({ root, installed, agent, url }: Traces): (text: string) => string {
  const named: readonly (readonly [string, string])[] = [
    [`${root}/work`, '/workspace'],
    [`${root}/home`, '/home/agent'],
    [`${root}/tmp`, '/tmp/agent'],
    [installed.program ?? installed.directory, `/opt/agents/${agent}`],
    [installed.directory, `/opt/agents/${agent}`],
    [url, 'http://127.0.0.1:8787'],
    [new URL(url).host, '127.0.0.1:8787'],
    // Claude names its project directories after the path.
    [root.replaceAll('/', '-'), '-home-agent'],
    [root, '/home'],
    [hostname(), 'host'],
  ];
  return (text) => named.reduce((left, [trace, plain]) => left.replaceAll(trace, plain), text);
}

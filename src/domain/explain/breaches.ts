import type { Breach } from '../gates/evidence.ts';

const breaches: Readonly<Record<Breach['breach'], (at: string) => string>> = {
  'wrote-outside': (path) => `wrote ${path}`,
  'wrote-in': (directory) => `wrote in ${directory}`,
  'workspace-unwritable': () => 'the workspace is not writable',
  'workspace-unwritten': () => 'wrote nothing in the workspace',
  processes: () => 'sees processes of the host',
  'run-directory': () => 'sees the /run of the host',
  capabilities: () => 'holds capabilities',
  root: () => 'runs as root',
  privileges: () => 'may gain privileges',
  'system-calls': () => 'may make every system call',
  'core-pattern': () => 'wrote core_pattern',
  remount: (path) => `remounted ${path}`,
  'network-device': (device) => `sees the network device ${device}`,
  unknown: (report) => report,
};

export const describeBreaches = (found: readonly Breach[]): string =>
  found.map(({ breach, at = '' }) => breaches[breach](at)).join('; ');

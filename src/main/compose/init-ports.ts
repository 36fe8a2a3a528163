import { readYaml } from '../../adapters/plan-files/source-file.ts';
import { lookAtProject, readTopFile, rewriteFile, writeNewFile } from '../../adapters/project/index.ts';
import { findRepository } from '../../adapters/state-directory/index.ts';
import type { InitPorts } from '../../cli/frame/ports.ts';
import { ownProcesses } from '../entry.ts';

export const initPorts: InitPorts = {
  find: findRepository,
  look: lookAtProject,
  read: readTopFile,
  keysOf: (text) => {
    const { document } = readYaml(text, 'tidegate.yaml');
    if (document === null) return null;
    const value = document.value ?? {};
    return typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : null;
  },
  write: writeNewFile,
  rewrite: rewriteFile,
  rehearse: async (context, rehearsal) => {
    const { rehearseSetup } = await import('../../doctor/rehearsal.ts');
    await rehearseSetup(context, rehearsal, ownProcesses(context.env));
  },
};

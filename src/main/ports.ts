import { fileURLToPath } from 'node:url';
import type { Ports } from '../cli/frame/ports.ts';

/** The ports of all commands. Each adapter is loaded at its first use: `tidegate --help` loads none. */
export const ports: Ports = {
  openRepository: async (...call) => (await import('./compose/open-repository.ts')).openRepository(...call),
  readPlan: async (...call) => (await import('./compose/plans.ts')).readPlan(...call),
  readComments: async (...call) => (await import('./compose/person-programs.ts')).readCommentsOf(...call),
  draftText: async (...call) => (await import('../adapters/plan-files/repository-plan.ts')).readDraftText(...call),
  enterShell: async (...call) => (await import('./compose/shell.ts')).enterShell(...call),
  makeDemo: async () => {
    const { makeDemoRepository } = await import('../adapters/demo-repository/index.ts');
    const script = fileURLToPath(new URL('../../demo/make-repository.sh', import.meta.url));
    return await makeDemoRepository(script, process.env['PATH'] ?? '');
  },
  caller: async (context) => (await import('./compose/open-repository.ts')).callerAt(context),
  examinations: async () => (await import('../doctor/machine.ts')).examinations,
  init: async () => (await import('./compose/init-ports.ts')).initPorts,
  auth: async () => (await import('./compose/auth.ts')).authPorts,
  config: async () => (await import('./compose/plans.ts')).configPorts,
  planFiles: async () => (await import('../adapters/project/index.ts')).planFileAccess,
  diffPrograms: async () => (await import('./compose/person-programs.ts')).diffPrograms,
  openPrograms: async () => (await import('./compose/person-programs.ts')).openPrograms,
  editPrograms: async () => (await import('./compose/person-programs.ts')).editPrograms,
  serve: async () => (await import('./compose/server.ts')).servePorts,
};

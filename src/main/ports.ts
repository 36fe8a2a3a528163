import { fileURLToPath } from 'node:url';
import type { Ports } from '../cli/frame/ports.ts';

/** The adapters of every command. Each is loaded when it is first used: `tidegate --help` loads none of them. */
export const ports: Ports = {
  openRepository: async (...asked) => (await import('./open-repository.ts')).openRepository(...asked),
  readPlan: async (...asked) => (await import('./plan-reader.ts')).readPlan(...asked),
  readComments: async (...asked) => (await import('./person-programs.ts')).readCommentsOf(...asked),
  draftText: async (...asked) => (await import('./plan-reader.ts')).draftText(...asked),
  enterShell: async (...asked) => (await import('./shell.ts')).enterShell(...asked),
  makeDemo: async () => {
    const { makeDemoRepository } = await import('../adapters/demo-repository/index.ts');
    const script = fileURLToPath(new URL('../../demo/make-repository.sh', import.meta.url));
    return await makeDemoRepository(script, process.env['PATH'] ?? '');
  },
  caller: async (context) => (await import('./open-repository.ts')).callerAt(context),
  examinations: async () => (await import('./examinations/examinations.ts')).examinations,
  init: async () => (await import('./init-ports.ts')).initPorts,
  auth: async () => (await import('./examinations/agents.ts')).authPorts,
  config: async () => (await import('./plan-reader.ts')).configPorts,
  planFiles: async () => (await import('../adapters/project/index.ts')).planFileAccess,
  diffPrograms: async () => (await import('./person-programs.ts')).diffPrograms,
  openPrograms: async () => (await import('./person-programs.ts')).openPrograms,
  editPrograms: async () => (await import('./edit-programs.ts')).editPrograms,
  serve: async () => (await import('./serve.ts')).servePorts,
};

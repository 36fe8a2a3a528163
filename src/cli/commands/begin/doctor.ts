import { command } from '../../frame/definition.ts';

export const doctorCommand = command({
  name: 'doctor',
  group: 'begin',
  summary: 'is this machine fit: git, fence, state directory, Node, agents',
  run: async (...call) => (await import('../../begin/doctor.ts')).examineMachine(...call),
});

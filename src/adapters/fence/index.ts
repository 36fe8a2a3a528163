export { certificateBinds, fencedEnvironment } from './environment.ts';
export { type Fence, type FencedCommand, fenceCommand } from './fence.ts';
export { callFilter } from './filter.ts';
export { agentUser, type Bind, FenceUnavailable, findHost, type Host, seenOnce } from './host.ts';
export { type Fenced, type FenceLaunch, launch, type Readiness, removeCanary } from './launch.ts';
export { startCommand } from './launch-script.ts';
export { fencedRuntime, fencedWorkspace, relaySocket } from './names.ts';
export { onOwnTerminal } from './own-terminal.ts';
export { type FenceProbe, probeFence } from './probe.ts';

export { certificateBinds, fencedEnvironment } from './environment.ts';
export { type FencedCommand, fenceCommand, onOwnTerminal } from './fence.ts';
export { callFilter } from './filter.ts';
export { agentUser, type Bind, FenceUnavailable, findHost, type Host, withFixedView } from './host.ts';
export { type Fenced, launch, type Readiness, removeCanary } from './launch.ts';
export { fencedRuntime, fencedWorkspace, relaySocket, startCommand } from './launch-script.ts';
export { probeFence } from './probe.ts';

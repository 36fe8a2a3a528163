/** The workspace's one name in every fence, so that what `setup` builds there works in any other workspace. */
export const fencedWorkspace = '/workspace';
export const fencedRuntime = '/run/tidegate';
/** Where a fence with a list of hosts finds its only way out: on its own loopback, and the socket of ours that this leads to. */
export const relayPort = 61_080;
export const relaySocket = 'n';

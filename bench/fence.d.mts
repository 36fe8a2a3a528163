export function fencedByHand(workspace: string, script: string): [string, ...string[]];

import { openNeighbours, tryNeighbours } from './neighbours.ts';

/** Run as a process of another user: what an attempt of theirs sees of its neighbours, as JSON on stdout. */
await using neighbours = await openNeighbours();
console.log(JSON.stringify(await tryNeighbours(neighbours)));

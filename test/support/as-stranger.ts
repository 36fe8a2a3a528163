import { supervisedScene } from './supervised.ts';

/** Run as a process of another user or session: one attempt of the script that it is given, its exit record as JSON on stdout. */
const [script = 'true', ...readOnly] = process.argv.slice(2);
await using scene = await supervisedScene();
const exit = await scene.run({ argv: ['/bin/sh', '-c', script], readOnly });
console.log(JSON.stringify(exit));

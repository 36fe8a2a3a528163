import { supervisedScene } from './supervised.ts';

/** Run as a process of an unprivileged user: one attempt, its exit record as JSON on stdout. */
await using scene = await supervisedScene();
const script = 'id -u; git log --format=%s; echo x > made; echo y > .mcp.json; ls /tmp; tidegate handoff done -m x';
const exit = await scene.run({ argv: ['/bin/sh', '-c', script], readOnly: ['.mcp.json'] });
console.log(JSON.stringify({ ...exit, home: scene.repo.home }));

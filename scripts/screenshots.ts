import { mkdirSync, writeFileSync } from 'node:fs';
import { handoff, program, project, scripted } from '../test/support/project.ts';
import { openPane, type Pane } from '../test/support/tmux.ts';
import { svgOf } from './terminal-svg.ts';

/** Pictures of the terminal UI for the README, taken of a real run in a real terminal. */
const tasks = {
  'limit-login': scripted(`echo "5 a minute"; mkdir -p src; echo limit > src/limit.ts; sleep 3; ${handoff}`, {
    owns: ['src/**'],
  }),
  docs: scripted(`mkdir -p docs; echo "Limit: 5/min" > docs/api.md; echo See docs/api.md >> readme.md; ${handoff}`, {
    owns: ['docs/**'],
  }),
  changelog: scripted(`sleep 600; ${handoff}`, { owns: ['CHANGELOG.md'], needs: ['limit-login'] }),
  review: scripted(`${handoff}`, { owns: ['REVIEW.md'], needs: ['docs'] }),
};

const size = { columns: 88, rows: 24 };
mkdirSync('docs/images', { recursive: true });
await using here = await project({ plan: { name: 'checkout', tasks } });
using pane = openPane(
  [process.execPath, program, 'run', 'plan.yaml', '--yes'],
  {
    cwd: here.checkout,
    env: here.environment,
  },
  size,
);
await pane.shows(/● changelog +running/);
pane.press('Home');
await pane.shows(/▸ ! docs/);
keep(pane, 'watch');
pane.press('d');
await pane.shows('diff --git');
keep(pane, 'diff');
pane.press('Escape');
pane.press('C-c');
await pane.shows('d detach');
pane.press('s');
await pane.ended();

function keep(from: Pane, name: string): void {
  writeFileSync(`docs/images/${name}.svg`, svgOf(from.painted(), size));
}

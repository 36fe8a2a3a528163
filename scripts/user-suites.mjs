// Suites whose result can depend on who runs them: `npm test` as root runs these again as root and as a uid without a
// passwd entry, after everything has run as an ordinary user. The smallest set in which each kind of difference occurs.
export const userSuites = {
  'test/e2e/fence.test.ts': 'as root the uid is dropped before bubblewrap, else bubblewrap maps the own one',
  'test/e2e/fence-home.test.ts': 'which directories of home and PATH are bound',
  'test/e2e/fence-unprivileged.test.ts': 'the fence without any privilege',
  'test/e2e/attacks-fence.test.ts': 'what an agent reaches as another uid, and as the own one',
  'test/e2e/attacks-git.test.ts': 'file modes shield refs from another uid only; the fence has to from the own one',
  'test/e2e/attacks-kernel.test.ts': 'system calls and namespaces with and without a uid of its own',
  'test/e2e/attacks-resources.test.ts': 'processes are counted by uid',
  'test/e2e/attacks-secrets.test.ts': 'who may read what is private',
  'test/e2e/workspace.test.ts': 'who owns a workspace',
  'test/e2e/workspace-repository.test.ts': 'links and copies across owners',
  'test/e2e/snapshot.test.ts': 'what the walk may read, and who wrote it',
  'test/e2e/snapshot-kill.test.ts': 'half a snapshot, and files that are not ours',
  'test/e2e/supervisor-failpoints.test.ts': 'kills of a supervisor whose agents are another uid',
  'test/e2e/disk-cap.test.ts': 'clean-up of what another uid wrote',
  'test/e2e/surroundings.test.ts': 'home, state, temporary and user database',
  'test/e2e/init.test.ts': 'set-up and its rehearsal in the fence',
  'src/adapters/state-directory/state-directory.test.ts': 'where state lies, and whose it is',
};

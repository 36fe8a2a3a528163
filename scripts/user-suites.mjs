// Suites whose result can depend on who runs them, and why. `npm test` as root runs all suites as an ordinary user, then these
// again as root, and those marked `nameless` as a uid without a passwd entry too: one of each kind, because such a user differs
// from an ordinary one only in that nobody knows its name and home.
export const userSuites = {
  'test/e2e/fence.test.ts': {
    nameless: true,
    why: 'as root the uid is dropped before bubblewrap, else the own one is mapped',
  },
  'test/e2e/fence-home.test.ts': { nameless: true, why: 'which directories of home and PATH are bound' },
  'test/e2e/fence-unprivileged.test.ts': { nameless: false, why: 'root starts a fence as somebody else' },
  'test/e2e/attacks-fence.test.ts': { nameless: true, why: 'what an agent reaches as another uid, and as the own one' },
  'test/e2e/attacks-git.test.ts': {
    nameless: false,
    why: 'file modes shield refs from another uid, the fence from the own one',
  },
  'test/e2e/attacks-kernel.test.ts': {
    nameless: false,
    why: 'system calls and namespaces with and without a uid of its own',
  },
  'test/e2e/attacks-resources.test.ts': { nameless: false, why: 'processes are counted by uid' },
  'test/e2e/attacks-secrets.test.ts': { nameless: true, why: 'who may read what is private' },
  'test/e2e/workspace.test.ts': { nameless: false, why: 'who owns a workspace' },
  'test/e2e/workspace-repository.test.ts': { nameless: false, why: 'objects linked or copied across owners' },
  'test/e2e/snapshot.test.ts': { nameless: true, why: 'what the walk may read, and who wrote it' },
  'test/e2e/snapshot-kill.test.ts': { nameless: false, why: 'half a snapshot of files that are not ours' },
  'test/e2e/supervisor-failpoints.test.ts': {
    nameless: true,
    why: 'kills of a supervisor whose agent may be another uid',
  },
  'test/e2e/disk-cap.test.ts': { nameless: true, why: 'clean-up of what another uid wrote' },
  'test/e2e/init.test.ts': { nameless: true, why: 'set-up, and its rehearsal in the fence' },
  'test/install.test.ts': { nameless: false, why: 'where npm puts a program, and whose it is' },
  'test/e2e/surroundings.test.ts': { nameless: true, why: 'home, state, temporary files, the user database' },
  'src/adapters/state-directory/state-directory.test.ts': { nameless: true, why: 'where state lies, and whose it is' },
  'test/e2e/nothing-lost.test.ts': { nameless: false, why: 'file modes hold an ordinary user, and not root' },
  'test/e2e/attacks-credentials.test.ts': {
    nameless: false,
    why: 'private files on the PATH are private to the own uid',
  },
  'test/e2e/attacks-objects.test.ts': { nameless: false, why: 'objects borrowed across owners' },
  'test/e2e/fence-toolchains.test.ts': { nameless: false, why: 'programs in a home that another uid may not enter' },
};

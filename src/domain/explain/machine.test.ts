import { expect, test } from 'vitest';
import { installAgent, mendProgram, toldOfNoAgent, toldOfSleep } from './machine.ts';
import { type Closed, missingTools, noBubblewrap, noNamespaces } from './sentences/attempt-sentences.ts';

const appArmor = [
  "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap",
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  '# or, for every program: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
];

test('without bubblewrap the command that installs it is told, and on Ubuntu what lets it make a fence', () => {
  expect(noBubblewrap(false)).toEqual({
    detail: 'bubblewrap (bwrap) is not installed',
    fix: 'sudo apt-get install bubblewrap',
  });
  expect(noBubblewrap(true).fix.split('\n')).toEqual(['sudo apt-get install bubblewrap', ...appArmor]);
  expect(missingTools(['setpriv', 'mount'])).toEqual({
    detail: 'missing from this system: setpriv, mount',
    fix: 'sudo apt-get install util-linux mount coreutils',
  });
});

const switches: Record<Closed, string> = {
  apparmor: appArmor.join('\n'),
  clone: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  count: 'sudo sysctl -w user.max_user_namespaces=15000',
  unknown:
    'allow unprivileged user namespaces here (in a container: run it with --security-opt seccomp=unconfined), or write `fence: none` to run without a fence',
};

test.each(Object.entries(switches) as [Closed, string][])(
  'namespaces that are closed by %s have their own switch',
  (closed, fix) => {
    expect(noNamespaces('No permissions', closed)).toEqual({
      detail: 'bubblewrap cannot make a fence: No permissions',
      fix,
    });
  },
);

test('a machine that slept is told with how long, from a minute on', () => {
  expect([0, 59, 60, 7_530, 200_000].map(toldOfSleep)).toEqual([
    null,
    null,
    'the machine slept 1m 00s, which was not charged',
    'the machine slept 2h 05m, which was not charged',
    'the machine slept 2d 7h, which was not charged',
  ]);
});

test('without an agent what is missing is told, and what to type', () => {
  expect(toldOfNoAgent([installAgent], 'tidegate go "x"')).toEqual([
    'No agent is ready yet; the rest is.',
    'first: npm install -g @anthropic-ai/claude-code   # or codex, opencode; or write `agent: command`',
    'then:  tidegate go "x"',
  ]);
  expect(toldOfNoAgent(['tidegate auth claude', mendProgram('/opt/codex', null)], 'tidegate go "x"')).toEqual([
    'No agent is ready yet; the rest is.',
    'first: tidegate auth claude',
    'or:    /opt/codex --version   # does it start outside of the fence?',
    'then:  tidegate go "x"',
  ]);
  const line = { text: 'fence: { read: [/opt/codex] }', file: '~/.config/tidegate/config.yaml' };
  expect(mendProgram('/opt/codex', line)).toBe(
    'fence: { read: [/opt/codex] }   # add this to ~/.config/tidegate/config.yaml',
  );
});

import { expect, test } from 'vitest';
import type { NamespaceSetting } from '../findings/attempt-rules.ts';
import { explain } from './explain.ts';
import { installAgent, noAgentLines, programFix, sleepText } from './text.ts';

const appArmor = [
  "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap",
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  '# or, for every program: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
];

test('without bubblewrap the command that installs it is told, and on Ubuntu what lets it make a fence', () => {
  expect(explain({ rule: 'no-bubblewrap', restricted: false })).toEqual({
    rule: 'no-bubblewrap',
    detail: 'bubblewrap (bwrap) is not installed',
    fix: 'sudo apt-get install bubblewrap',
  });
  expect(explain({ rule: 'no-bubblewrap', restricted: true }).fix?.split('\n')).toEqual([
    'sudo apt-get install bubblewrap',
    ...appArmor,
  ]);
  expect(explain({ rule: 'tools-missing', tools: ['setpriv', 'mount'] })).toEqual({
    rule: 'tools-missing',
    detail: 'missing from this system: setpriv, mount',
    fix: 'sudo apt-get install util-linux mount coreutils',
  });
});

const switches: Record<NamespaceSetting, string> = {
  apparmor: appArmor.join('\n'),
  clone: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  count: 'sudo sysctl -w user.max_user_namespaces=15000',
  unknown:
    'allow unprivileged user namespaces (in a container: run it with --security-opt seccomp=unconfined), or write `fence: none` to run without a fence',
};

test.each(Object.entries(switches) as [NamespaceSetting, string][])(
  'namespaces that are closed by %s have their own switch',
  (closed, fix) => {
    expect(explain({ rule: 'no-namespaces', words: 'No permissions', closed })).toEqual({
      rule: 'no-namespaces',
      detail: 'bubblewrap cannot make a fence: No permissions',
      fix,
    });
  },
);

test('a machine that slept is told with how long, from a minute on', () => {
  expect([0, 59, 60, 7_530, 200_000].map(sleepText)).toEqual([
    null,
    null,
    'the machine slept for 1m 00s, which does not count',
    'the machine slept for 2h 05m, which does not count',
    'the machine slept for 2d 7h, which does not count',
  ]);
});

test('without an agent what is missing is told, and what to type', () => {
  expect(noAgentLines([installAgent], 'tidegate go "x"')).toEqual([
    'No agent is ready yet. Everything else is.',
    'first: npm install -g @anthropic-ai/claude-code   # or codex, opencode; or write `agent: command`',
    'then:  tidegate go "x"',
  ]);
  expect(noAgentLines(['tidegate auth claude', programFix('/opt/codex', null)], 'tidegate go "x"')).toEqual([
    'No agent is ready yet. Everything else is.',
    'first: tidegate auth claude',
    'or:    /opt/codex --version   # does it start outside the fence?',
    'then:  tidegate go "x"',
  ]);
  const line = { text: 'fence: { read: [/opt/codex] }', file: '~/.config/tidegate/config.yaml' };
  expect(programFix('/opt/codex', line)).toBe(
    'fence: { read: [/opt/codex] }   # add this to ~/.config/tidegate/config.yaml',
  );
});

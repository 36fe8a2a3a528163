/** Why nothing can be fenced here, and what to type, one command on a line. Without a fence that holds no agent is started. */
type NoFence = { readonly detail: string; readonly fix: string };

/** `restricted`: this Ubuntu would keep bubblewrap from making a fence once it is there. */
export const noBubblewrap = (restricted: boolean): NoFence => ({
  detail: 'bubblewrap (bwrap) is not installed',
  fix: ['sudo apt-get install bubblewrap', ...(restricted ? [appArmor] : [])].join('\n'),
});

export const missingTools = (names: readonly string[]): NoFence => ({
  detail: `missing from this system: ${names.join(', ')}`,
  fix: 'sudo apt-get install util-linux mount coreutils',
});

/** Unprivileged user namespaces are closed in one of three ways; each has its own switch. */
export type Closed = 'apparmor' | 'clone' | 'count' | 'unknown';

export const noNamespaces = (said: string, closed: Closed): NoFence => ({
  detail: `bubblewrap cannot make a fence: ${said}`,
  fix: {
    apparmor: appArmor,
    clone: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
    count: 'sudo sysctl -w user.max_user_namespaces=15000',
    unknown:
      'allow unprivileged user namespaces here (in a container: run it with --security-opt seccomp=unconfined), or write `fence: none` to run without a fence',
  }[closed],
});

/** Ubuntu 23.10 and later: a profile for bubblewrap alone, narrower than switching the restriction off. */
const appArmor = [
  "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap",
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  '# or, for every program: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
].join('\n');

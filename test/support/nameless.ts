/**
 * The same command for a user whose uid has no entry in the user database, as in many containers. Nothing else differs: bubblewrap and
 * unshare show it another /etc/passwd.
 */
export const nameless = (argv: readonly string[]): readonly string[] =>
  process.getuid?.() === 0
    ? [
        'unshare',
        '--mount',
        '--propagation',
        'private',
        'sh',
        '-c',
        `mount --bind /dev/null /etc/passwd && exec "$@"`,
        'sh',
        ...argv,
      ]
    : ['bwrap', '--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/etc/passwd', '--', ...argv];

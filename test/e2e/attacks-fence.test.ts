import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedOnMain, honest, rogue } from '../support/crew.ts';
import { handoff, project } from '../support/project.ts';
import { openStage } from '../support/staged-run.ts';
import { farFromFence, fingerprint, socketsOfHost, tries, triesIn, wayThrough } from '../support/tries.ts';

const places = 'root=$(cat .where); repo=$root/repo; state=$root/stage';
/** Abstract names are of the whole host: another checkout may run this very test. */
const abstract = `tidegate-abstract-${process.pid}`;
const sibling = '$state/jobs/attack-abcd.victim.1/workspace';

describe('pattern C: an agent in a fence', () => {
  test('reaches neither checkout, sibling, state nor host, by no name and no trick', async () => {
    const stranger = spawn('/bin/sleep', ['600'], { env: { SECRET_OF_STRANGER: 'hidden' } });
    const sockets = socketsOfHost();
    const listening = [
      createServer().listen(join(sockets, 's')),
      createServer().listen(`\0${abstract}`),
      createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n')).listen(0, '127.0.0.1'),
    ];
    await Promise.all(listening.map((server) => once(server, 'listening')));
    const port = (listening.at(-1)?.address() as { port: number } | undefined)?.port;
    const dial = (to: string) =>
      `/run/tidegate/node -e "require('net').connect(${to}).on('connect',()=>process.exit(0)).on('error',()=>process.exit(7))"`;
    const attacks = {
      // files of others
      'write-checkout': `${places}; echo x > $repo/readme.md`,
      'write-checkout-up': `${places}; echo x > ../../../../../..$repo/readme.md`,
      'make-checkout': `${places}; mkdir -p $repo`,
      'read-checkout': `${places}; cat $repo/readme.md`,
      'link-checkout': `${places}; ln -s $repo out && echo x > out/readme.md`,
      'hardlink-checkout': `${places}; ln $repo/readme.md hard`,
      'proc-root': `${places}; echo x > /proc/1/root$repo/readme.md`,
      'proc-cwd': `${places}; echo x > /proc/1/cwd/../..$repo/readme.md`,
      'read-sibling': `${places}; cat ${sibling}/victim.txt`,
      'write-sibling': `${places}; echo x > ${sibling}/victim.txt`,
      'list-sibling': `${places}; ls ${sibling}`,
      'read-ledger': `${places}; cat $state/ledger.db`,
      'write-ledger': `${places}; echo x >> $state/ledger.db`,
      'delete-ledger': `${places}; rm $state/ledger.db`,
      'write-head': `${places}; echo x > $state/ledger.head`,
      'read-jobs': `${places}; cat $state/jobs/*/job.json`,
      'write-jobs': `${places}; echo '{}' > $state/jobs/attack-abcd.victim.1/exit.json`,
      'forge-own-exit': `${places}; echo '{}' > $state/jobs/attack-abcd.rogue.1/exit.json`,
      marker: `${places}; mkdir -p $state/runs/attack-abcd && echo x > $state/runs/attack-abcd/approved`,
      'write-etc': 'echo x > /etc/pwned',
      'write-usr': 'echo x > /usr/bin/pwned',
      'write-root': 'echo x > /pwned',
      'write-run': 'echo x > /run/tidegate/pwned',
      'replace-client': 'rm -f /run/tidegate/bin/tidegate',
      'write-node': 'echo x >> /run/tidegate/node',
      'person-home': `${places}; cat $root/home/.ssh/id_ed25519`,
      'own-home-ssh': 'cat ~/.ssh/id_ed25519 || ls -A ~ | grep .',
      'root-home': `ls /root | grep . || ${listHomes()}`,
      shadow: 'cat /etc/shadow',
      // the kernel
      'remount-root': 'mount -o remount,rw /',
      'remount-usr': 'mount -o remount,bind,rw /usr',
      'unshare-mount': `unshare -Urm sh -c 'mount -o remount,rw / && echo x > /pwned'`,
      'unshare-bind': 'unshare -Urm mount --bind /tmp /usr/bin; test ! -e /usr/bin/env',
      'mount-proc': 'mkdir -p /tmp/p && mount -t proc proc /tmp/p',
      'core-pattern': 'echo "|/workspace/x" > /proc/sys/kernel/core_pattern',
      'core-pattern-nested': `unshare -Urmpf sh -c 'mount -t proc p /proc; echo "|/workspace/x" > /proc/sys/kernel/core_pattern'`,
      sysrq: 'echo h > /proc/sysrq-trigger',
      'host-environ': `cat /proc/${stranger.pid}/environ`,
      'any-environ': 'grep -a SECRET_OF_STRANGER /proc/*/environ',
      'kill-host': `kill -9 ${stranger.pid}`,
      'kill-init': 'kill -9 1; test ! -d /proc/1',
      setuid: 'su -c id || sudo -n id || passwd -d root || mount /mnt',
      'become-root': 'setpriv --reuid 0 id || /usr/sbin/chroot / /bin/true',
      'make-device': 'mknod /tmp/disk b 8 0 || mknod null2 c 1 3',
      'raw-device': 'cat /dev/mem || cat /dev/kmsg || dd if=/dev/vda count=1 || dd if=/dev/sda count=1',
      'inherited-descriptor': 'ls /proc/self/fd | grep -vxE "[0-3]"',
      // the network
      loopback: dial(`${port},'127.0.0.1'`),
      'loopback-v6': dial(`${port},'::1'`),
      'run-socket': dial(`'${sockets}/s'`),
      'abstract-socket': dial(`'\\0${abstract}'`),
      outside: dial(`53,'1.1.1.1'`),
    };
    await using scene = await project({
      place: farFromFence,
      files: { '.where': '' },
      plan: {
        land: 'auto',
        tasks: {
          victim: rogue(`echo private > victim.txt\n${handoff}`, { owns: ['victim.txt'] }),
          rogue: rogue(`${tries(attacks)}\nrm -f out hard\n${handoff}`, { needs: ['victim'] }),
          honest,
        },
      },
    });
    scene.write('.where', scene.root);
    scene.git('commit', '-qam', 'where');
    mkdirSync(join(scene.root, 'home/.ssh'), { mode: 0o700 });
    writeFileSync(join(scene.root, 'home/.ssh/id_ed25519'), 'the key of the person');
    chmodSync(join(scene.root, 'home/.ssh/id_ed25519'), 0o644);
    const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const before = fingerprint(scene.checkout);
    try {
      const run = await stage.order();
      await stage.coordinator();
      const state = await run.approve();

      const makesPlace = Object.keys(attacks).filter((name) =>
        /^(write|make|link|proc|delete|forge|marker)/.test(name),
      );
      expect(wayThrough(triesIn(stage.state, 'attack-abcd.rogue.1'), attacks, makesPlace)).toEqual([]);
      expect(state.ended).toBe('landed');
      expect(changedOnMain(scene, base)).toEqual(['A honest.txt', 'A tries.txt', 'A victim.txt']);
      const outside = (path: string) =>
        path.startsWith('.git') || ['honest.txt', 'tries.txt', 'victim.txt'].includes(path);
      expect(fingerprint(scene.checkout, outside)).toEqual(
        Object.fromEntries(Object.entries(before).filter(([path]) => !outside(path))),
      );
      expect(readFileSync(join(stage.state.job('attack-abcd.victim.1'), 'workspace/victim.txt'), 'utf8')).toBe(
        'private\n',
      );
      expect(stranger.exitCode).toBeNull();
      expect(stranger.signalCode).toBeNull();
      expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(pattern);
      for (const path of ['/etc/pwned', '/usr/bin/pwned', '/pwned']) expect(existsSync(path)).toBe(false);
      expect(readdirSync(stage.state.run(run.run))).not.toContain('approved');
      expect(await stage.ledger.verify()).toMatchObject({ ok: true });
    } finally {
      stranger.kill('SIGKILL');
      for (const server of listening) server.close();
      rmSync(sockets, { recursive: true });
    }
  });
});

describe('pattern G: an agent that wants to decide', () => {
  test('is refused every command of a person in its fence, and each try is in the ledger', async () => {
    const commands = {
      approve: 'tidegate approve attack-abcd',
      'approve-plan': 'tidegate approve attack-abcd --plan $(printf "%064d" 0)',
      run: 'tidegate run plan.yaml --yes --land',
      land: 'tidegate land attack-abcd',
      grant: 'tidegate grant attack-abcd/rogue readme.md',
      drop: 'tidegate drop attack-abcd/honest',
      retry: 'tidegate retry attack-abcd/rogue',
      accept: 'tidegate accept attack-abcd/rogue --snapshot $(printf "%040d" 0)',
      edit: 'EDITOR=true tidegate edit attack-abcd/rogue',
      undo: 'tidegate undo attack-abcd',
      stop: 'tidegate stop attack-abcd',
      'config-confirm': 'tidegate config confirm',
      'as-a-person': 'env -u TIDEGATE_TASK -u TIDEGATE_NONCE -u TIDEGATE_ATTEMPT tidegate approve attack-abcd',
    };
    const attacks = {
      ...commands,
      'socket-approve': `/run/tidegate/node -e "const s=require('net').connect(process.env.TIDEGATE_SOCKET,()=>s.write(JSON.stringify({do:'approve',run:'attack-abcd'})+'\\n'));s.on('data',d=>process.exit(JSON.parse(d).ok?0:7))"`,
      'socket-as-sibling': `/run/tidegate/node -e "const s=require('net').connect(process.env.TIDEGATE_SOCKET,()=>s.write(JSON.stringify({do:'handoff',task:'honest',handoff:{status:'done',summary:'s',nonce:'0'}})+'\\n'));s.on('data',d=>process.exit(JSON.parse(d).ok?0:7))"`,
      'control-socket': 'ls /run/tidegate | grep -E "^c\\.sock$|control"',
    };
    await using scene = await project({
      place: farFromFence,
      plan: { tasks: { rogue: rogue(`${tries(attacks)}\n${handoff}`), honest } },
    });
    await using stage = await openStage(scene);
    const before = fingerprint(scene.checkout);
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    expect(wayThrough(triesIn(stage.state, 'attack-abcd.rogue.1'), attacks)).toEqual([]);
    expect(state.taps.land).toMatchObject({ status: 'pending' });
    expect(fingerprint(scene.checkout)).toEqual(before);
    const events = (await run.events()).map(({ event }) => event);
    const requests = events.filter(({ type }) => type.startsWith('requested-')).map(({ type }) => type);
    expect(requests).toEqual(['requested-run', 'requested-approve']);
    const ended = events.flatMap((event) => (event.type === 'attempt-ended' && event.task === 'rogue' ? [event] : []));
    const recorded = ended.flatMap(({ refusals }) => refusals ?? []);
    expect(recorded.map((what) => what.split(' ')[0])).toEqual(
      Object.values(commands).map((command) => /tidegate (\S+)/.exec(command)?.[1]),
    );
    expect(recorded).toContain('grant attack-abcd/rogue readme.md');
  });
});

/** Lists homes, without the way to this checkout when it lies below one: its Node is bound into the fence from there. */
function listHomes(): string {
  const [, home = '', ...way] = process.cwd().split('/');
  const [person, first] = way;
  if (home !== 'home' || person === undefined || first === undefined) return 'ls -A /home | grep .';
  return `ls -A /home | grep -vx '${person}' || ls -A '/home/${person}' | grep -vx '${first}'`;
}

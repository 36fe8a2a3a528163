import { cpSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { refs } from '../../src/domain/ledger/state-dir.ts';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { handoff, project } from '../support/project.ts';
import { runOnly } from '../support/run-only.ts';
import { openStage } from '../support/staged-run.ts';
import { farFromFence, fingerprint, tries, triesIn, wayThrough } from '../support/tries.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The places are in the plan, so they have to be known before the project is made: a file in the workspace names them. */
const places = 'root=$(cat .where); repo=$root/repo; state=$root/stage; bare=$state/repo.git';
/** What the workspace borrows. */
const borrowed = 'objects=$(cat .git/objects/info/alternates)';

describe('pattern A: an agent that wants to merge itself', () => {
  test('moves no ref of the person, of the run or of our repository, whatever git offers', async () => {
    const attacks = {
      'merge-into-main': `${places}; git -C $repo merge --ff-only HEAD`,
      'commit-in-checkout': `${places}; git -C $repo commit --allow-empty -m x`,
      'push-origin': 'git push origin HEAD:main',
      'push-path': `${places}; git push $repo HEAD:refs/heads/main`,
      'push-file-url': `${places}; git push file://$repo HEAD:refs/heads/main`,
      'push-mirror': `${places}; git push --mirror $repo`,
      'push-bare': `${places}; git push $bare HEAD:refs/heads/main`,
      'push-remote-added': `${places}; git remote add person $repo && git push -f person HEAD:main`,
      'push-run-branch': `${places}; git push -f $bare HEAD:refs/tidegate/runs/attack-abcd`,
      'update-ref-person': `${places}; git --git-dir=$repo/.git update-ref refs/heads/main HEAD`,
      'update-ref-bare': `${places}; git --git-dir=$bare update-ref refs/tidegate/runs/attack-abcd HEAD`,
      'update-ref-no-hooks': `${places}; git -c core.hooksPath=/dev/null --git-dir=$repo/.git update-ref refs/heads/main HEAD`,
      'update-ref-env-config': `${places}; GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git --git-dir=$repo/.git update-ref refs/heads/main HEAD`,
      'git-dir-env': `${places}; GIT_DIR=$repo/.git GIT_WORK_TREE=$repo git update-ref refs/heads/main HEAD`,
      'branch-force': `${places}; git -C $repo branch -f main HEAD`,
      'symbolic-ref': `${places}; git --git-dir=$repo/.git symbolic-ref HEAD refs/heads/evil`,
      'replace-person': `${places}; git --git-dir=$repo/.git replace HEAD HEAD~1`,
      'replace-bare': `${places}; git --git-dir=$bare replace $(git rev-parse HEAD) $(git rev-parse HEAD~1)`,
      'raw-ref': `${places}; git rev-parse HEAD > $repo/.git/refs/heads/main`,
      'raw-ref-made': `${places}; mkdir -p $repo/.git/refs/heads && git rev-parse HEAD > $repo/.git/refs/heads/main`,
      'raw-packed-refs': `${places}; echo "$(git rev-parse HEAD) refs/heads/main" >> $repo/.git/packed-refs`,
      'raw-bare-run-branch': `${places}; mkdir -p $bare/refs/tidegate/runs && git rev-parse HEAD > $bare/refs/tidegate/runs/attack-abcd`,
      'raw-bare-packed-refs': `${places}; echo "$(git rev-parse HEAD) refs/tidegate/runs/attack-abcd" >> $bare/packed-refs`,
      'raw-hook': `${places}; echo 'touch PWN' > $repo/.git/hooks/post-merge`,
      'raw-config': `${places}; echo '[core] fsmonitor = x' >> $bare/config`,
      'fetch-in-person': `${places}; git --git-dir=$repo/.git fetch . HEAD:refs/heads/main`,
      'worktree-add': `${places}; git --git-dir=$repo/.git worktree add /tmp/w main`,
      'reset-person': `${places}; git -C $repo reset --hard HEAD~1`,
      gc: `${places}; git --git-dir=$bare gc --prune=now`,
      'object-write': `${places}; echo x > $bare/objects/pwned`,
      'object-directory': `${places}; mkdir $bare/objects/zz`,
      'object-delete': `${borrowed}; find $objects -type f | head -1 | xargs -r rm -f && test -z "$(find $objects -type f)"`,
      'object-overwrite': `${borrowed}; for f in $(find $objects -type f); do chmod u+w $f; echo x > $f || exit 1; done`,
      'object-link': `${borrowed}; ln $(find $objects -name '*.pack' | head -1) linked && chmod u+w linked`,
      'object-move': `${borrowed}; mv $objects/pack $objects/gone`,
      'object-by-alternates': `${borrowed}; echo x > $objects/pwned`,
    };
    const makesPlace = Object.keys(attacks).filter((name) => name.startsWith('raw-'));
    await using scene = await project({
      place: farFromFence,
      files: { '.where': '' },
      plan: { land: 'auto', tasks: { rogue: rogue(`${tries(attacks)}\n${handoff}`), honest } },
    });
    scene.write('.where', scene.root);
    scene.git('commit', '-qam', 'where');
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const before = fingerprint(scene.checkout);
    const run = await stage.order();
    await stage.coordinator();
    await run.until((state) => state.taps.start?.status === 'pending');
    expect(fingerprint(scene.checkout)).toEqual(before);

    const state = await run.approve();

    expect(wayThrough(triesIn(stage.state, 'attack-abcd.rogue.1'), attacks, makesPlace)).toEqual([]);
    expect(state.ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual(['A honest.txt', 'A tries.txt']);
    expect(scene.git('rev-list', '--count', `${base}..main`)).toBe('2');
    expect(scene.git('log', '--format=%an', `${base}..main`)).toBe('Ada\nAda');
    expect(scene.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(scene.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(scene.git('status', '--porcelain')).toBe('');
    expect(scene.git('fsck', '--full', '--strict')).toBe('');
    expect(existsSync(join(scene.checkout, '.git/hooks/post-merge'))).toBe(false);
    const bare = (...args: string[]) => runOnly('git', ['--git-dir', stage.state.repository, ...args], '/');
    expect(bare('fsck', '--full', '--strict', '--no-dangling')).toBe('');
    expect(bare('rev-parse', refs.runBranch(run.run))).toBe(scene.git('rev-parse', 'main'));
    expect(
      bare('for-each-ref', '--format=%(refname)')
        .split('\n')
        .filter((ref) => !ref.startsWith('refs/tidegate/')),
    ).toEqual([]);
    expect(readdirSync(stage.state.repository)).not.toContain('pwned');
    expect(await stage.ledger.verify()).toMatchObject({ ok: true });
  });

  test('runs no code of its own in our processes: hooks, filters, monitors and nested repositories stay dead', async () => {
    const traps = [
      'set -e; mkdir -p .git/hooks',
      'for hook in post-checkout pre-commit post-commit reference-transaction post-index-change fsmonitor-watchman pre-auto-gc post-rewrite update',
      'do printf "#!/bin/sh\\necho $0 >> $pwn\\n" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done',
      'cp .git/hooks/update /workspace/own/evil.sh',
      'git config core.fsmonitor "$pwn.sh"; git config core.hooksPath .git/hooks',
      'for k in core.fsmonitor core.pager core.editor core.sshCommand core.askPass diff.external uploadpack.packObjectsHook gpg.program',
      'do git config $k "echo $k >> $pwn"; done',
      'for k in filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv diff.evil.command merge.evil.driver',
      'do git config $k "echo $k >> $pwn; cat"; done',
      'git config alias.status "!echo alias >> $pwn"; git config commit.gpgSign true',
      'echo "* filter=evil diff=evil merge=evil" > .git/info/attributes',
      'echo "* filter=evil diff=evil merge=evil text eol=crlf" > own/.gitattributes',
      'printf "[core]\\n\\tfsmonitor = echo alternates >> $pwn\\n" > .git/config.worktree; git config extensions.worktreeConfig true',
      'echo content > own/file',
    ].join('\n');
    const nested =
      'git init -q own/deep/inner; cp -r .git/hooks .git/config own/deep/inner/.git/; echo x > own/deep/inner/x';
    const begin = (name: string) => `root=$(cat .where); pwn=$root/PWN\nmkdir -p own-${name}`;
    const named = (name: string, script: string) =>
      rogue(`${begin(name)}\n${script.replaceAll('own/', `own-${name}/`)}\n${handoff}`, { owns: [`own-${name}/**`] });
    await using scene = await project({
      place: farFromFence,
      files: { '.where': '' },
      plan: {
        land: 'auto',
        limits: { attempts: 1 },
        checks: [{ name: 'git', run: 'git status; git log -1; test -f readme.md' }],
        tasks: { traps: named('traps', traps), nested: named('nested', `${traps}\n${nested}`), honest },
      },
    });
    scene.write('.where', scene.root);
    scene.git('commit', '-qam', 'where');
    await using stage = await openStage(scene);
    const base = scene.git('rev-parse', 'main');
    const run = await stage.order();
    await stage.coordinator();
    const state = await run.approve();

    expect(fateOf(state, 'traps')).toEqual(['merged']);
    expect(fateOf(state, 'nested')).toEqual(['held', 'nested-git own-nested/deep/inner/.git']);
    expect((await run.drop('nested')).ended).toBe('landed');
    expect(changedOnMain(scene, base)).toEqual([
      'A honest.txt',
      'A own-traps/.gitattributes',
      'A own-traps/evil.sh',
      'A own-traps/file',
    ]);
    expect(readdirSync(scene.root).toSorted()).toEqual(['home', 'repo', 's', 'stage']);
    expect(existsSync(join(scene.root, 'PWN'))).toBe(false);
  });
});

describe('pattern B: only the merger moves a branch', () => {
  test.each([
    [
      'refuses everything',
      { answer: { outcome: 'refused', because: { rule: 'landing-unapproved' } } },
      'refuses to open-run',
    ],
    ['talks nonsense', { answer: { outcome: 'refused', why: 'because I say so' } }, 'an unreadable answer'],
  ])('with a merger that %s, nothing moves and the run says so', async (_, reply, told) => {
    await using scene = await project({ plan: { land: 'auto', tasks: { honest } } });
    const program = join(scene.root, 'program');
    cpSync(dist, join(program, 'dist'), { recursive: true });
    cpSync(join(dist, '../package.json'), join(program, 'package.json'));
    symlinkSync(join(dist, '../node_modules'), join(program, 'node_modules'));
    writeFileSync(
      join(program, 'dist/main/merger.js'),
      `import { createInterface } from 'node:readline';
       createInterface({ input: process.stdin }).on('line', (line) => console.log(JSON.stringify(
         { id: JSON.parse(line).id, ...${JSON.stringify(reply)} })));`,
    );
    await using stage = await openStage(scene);
    const before = fingerprint(scene.checkout);
    const run = await stage.order();
    await stage.coordinator({}, join(program, 'dist/'));
    await expect(run.approve()).rejects.toThrow(told);

    expect(fingerprint(scene.checkout)).toEqual(before);
    expect(existsSync(stage.state.repository)).toBe(false);
    const types = (await run.events()).map(({ event }) => event.type);
    expect(types.filter((type) => /^(attempt|merge|land|run-branch)/.test(type))).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frozenPlan, plannedTask } from '../../../test/support/plans.ts';
import { spentMs } from '../../../test/support/spent.ts';
import { explain } from '../explain/explain.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import type { Granted } from '../scope/claims.ts';
import type { ToolCall } from './agent-event.ts';
import type { Decision } from './tool-scope.ts';
import { toolDecider, toolScopeOf } from './tool-scope.ts';

const place = {
  workspace: '/workspace',
  home: '/agent-home',
  writable: ['/tmp', '/agent-home'],
  checkout: '/agent-home/project',
};

/** As the supervisor has it: written down and read again. */
function decider(
  task: PlannedTask,
  keys: Partial<FrozenPlan> = {},
  siblings: PlannedTask[] = [],
  granted: Granted = [],
) {
  const plan = frozenPlan([[...siblings, task]], keys);
  return toolDecider(JSON.parse(JSON.stringify(toolScopeOf(plan, task, granted))), place);
}

const call = (keys: Partial<ToolCall>): ToolCall => ({
  id: '1',
  tool: 'Tool',
  kind: 'other',
  paths: [],
  command: null,
  lines: null,
  input: '',
  ...keys,
});
const write = (...paths: readonly string[]) => call({ kind: 'write', paths });
const run = (command: string, directory?: string) =>
  call({ kind: 'run', command, ...(directory === undefined ? {} : { directory }) });
const told = (decision: Decision) => (decision.decision === 'allow' ? null : explain(decision.because));
const ruleOf = (decision: Decision) => (decision.decision === 'allow' ? 'allow' : decision.because.rule);

const client = plannedTask('client', { owns: ['src/**', 'docs/AGENTS.md'] });
const decide = decider(client);

test('our own tools are let through, whatever they are told', () => {
  const names = ['handoff', 'post', 'ask', 'record', 'inbox', 'scope'].map((name) => `mcp__tidegate__${name}`);
  expect(names.map((tool) => ruleOf(decide(call({ tool, paths: ['lib/a.ts'], input: 'rm -rf /' }))))).toEqual(
    names.map(() => 'allow'),
  );
});

describe('a write', () => {
  test.each([
    ['src/a.ts', 'allow'],
    ['./src/x/../a.ts', 'allow'],
    ['/workspace/src/a.ts', 'allow'],
    ['/tmp/scratch.txt', 'allow'],
    ['/agent-home/.cache/x', 'allow'],
    ['.tidegate/handoff.json', 'allow'],
    ['docs/AGENTS.md', 'allow'],
    ['package-lock.json', 'allow'],
    ['lib/a.ts', 'out-of-scope'],
    ['Src/a.ts', 'out-of-scope'],
    ['src/../lib/a.ts', 'out-of-scope'],
    ['../outside.txt', 'outside-workspace'],
    ['/etc/passwd', 'outside-workspace'],
    ['/workspace2/src/a.ts', 'outside-workspace'],
    ['/agent-home/../other/x', 'outside-workspace'],
    ['/agent-home/project/src/a.ts', 'outside-workspace'],
    ['src/.claude/settings.json', 'agent-config'],
    ['src/.CLAUDE/settings.json', 'agent-config'],
    ['/agent-home/.claude/settings.json', 'own-config'],
    ['.git/config', 'git-path'],
    ['src/.GIT/hooks/x', 'git-path'],
    ['.Tidegate/x', 'reserved-path'],
  ])('of %s: %s', (path, rule) => {
    const judge = decider(client, { generated: { 'package-lock.json': 'npm i' } });
    expect(ruleOf(judge(write(path)))).toBe(rule);
  });

  test('that is denied says why and how to ask', () => {
    expect(told(decide(write('src/a.ts', "li b/a'.ts")))).toEqual({
      rule: 'out-of-scope',
      where: "li b/a'.ts",
      detail: "`li b/a'.ts` is out of your scope: the task does not own it. Scratch files belong in /tmp",
      fix: "tidegate ask --scope 'li b/a'\\''.ts'",
    });
  });

  test('of a read-only task is denied everywhere in the workspace, and asking would not help', () => {
    const judge = decider(plannedTask('look', { owns: [] }));
    expect(told(judge(write('src/a.ts')))).toEqual({
      rule: 'read-only',
      where: 'src/a.ts',
      detail: '`src/a.ts` is out of your scope: the task is read-only (`owns: []`). Scratch files belong in /tmp',
    });
    expect(ruleOf(judge(write('.tidegate/handoff.json')))).toBe('allow');
    expect(ruleOf(judge(write('/tmp/a')))).toBe('allow');
  });

  test('of a task without owns is denied where others claim, lock, were granted, or protect holds', () => {
    const siblings = [plannedTask('other', { owns: ['lib/**'] }), plannedTask('lock', { owns: [], locks: ['api.ts'] })];
    const granted = [{ task: siblings[0]?.id ?? client.id, paths: ['given/x'] }];
    const judge = decider(plannedTask('free'), {}, siblings, granted);
    const rules = ['lib/a', 'api.ts', 'given/x', '.github/a.yml', '.GitHub/a.yml', 'else'].map((path) =>
      ruleOf(judge(write(path))),
    );
    expect(rules).toEqual(['out-of-scope', 'locked', 'out-of-scope', 'protected', 'protected', 'allow']);
  });

  test('that a person granted is allowed', () => {
    const judge = decider(client, {}, [], [{ task: client.id, paths: ['lib/[id].ts'] }]);
    expect(['lib/[id].ts', 'lib/b.ts'].map((path) => ruleOf(judge(write(path))))).toEqual(['allow', 'out-of-scope']);
  });
});

test.each(['read', 'search', 'fetch', 'other'] as const)('a %s is allowed: the fence is the boundary', (kind) => {
  expect(ruleOf(decide(call({ kind, paths: ['/etc/passwd'] })))).toBe('allow');
});

describe('a command', () => {
  test.each([
    ['git push', 'git-command'],
    ['git push --force origin main', 'git-command'],
    ['cd src && git  push', 'git-command'],
    ['git -C /workspace push', 'git-command'],
    ['git -c user.name=x --no-pager push', 'git-command'],
    ['/usr/bin/git push', 'git-command'],
    ['"git" \'pu\'sh', 'git-command'],
    ['\\git push', 'git-command'],
    ['git pu\\\nsh', 'git-command'],
    ['true; git merge main', 'git-command'],
    ['true || git rebase -i HEAD~2', 'git-command'],
    ['yes | git stash', 'git-command'],
    ['git worktree add ../x', 'git-command'],
    ['git update-ref refs/heads/main HEAD', 'git-command'],
    ['git reset --hard HEAD~1', 'git-command'],
    ['GIT_DIR=x FOO="a b" git push', 'git-command'],
    ["sh -c 'git push'", 'git-command'],
    ['bash -lc "cd x; git push"', 'git-command'],
    ["bash -euo pipefail -c 'git push'", 'git-command'],
    ['sh -c \'sh -c "git push"\'', 'git-command'],
    ['sudo -u root git push', 'git-command'],
    ['env -i A=b git push', 'git-command'],
    ['time nice -n 5 git push', 'git-command'],
    ['timeout -k 5 30 git push', 'git-command'],
    ['echo origin | xargs -n 1 git push', 'git-command'],
    ['find . -name x -exec git stash \\;', 'git-command'],
    ['echo $(git push)', 'git-command'],
    ['echo "a $(git push) b"', 'git-command'],
    ['echo `git push`', 'git-command'],
    ['(cd x; git push)', 'git-command'],
    ['if true; then git push; fi', 'git-command'],
    ['for x in a b; do git push; done', 'git-command'],
    ['! git push', 'git-command'],
    ['eval "git push"', 'git-command'],
    ['git -c alias.p=push p', 'git-command'],
    ["git -c 'alias.p=!git push' p", 'git-command'],
    ['cat <<EOF\nx\nEOF\ngit push', 'git-command'],
    ['git push &', 'git-command'],
    ['diff <(git stash) x', 'git-command'],
    ['git commit --no-verify -m x', 'no-verify'],
    ['git commit -nm x', 'no-verify'],
    ['git -c core.hooksPath=/dev/null commit -m x', 'no-verify'],
    ['rm -rf /', 'removes-workspace'],
    ['rm -rf /*', 'removes-workspace'],
    ['rm -fr .', 'removes-workspace'],
    ['rm -r ./*', 'removes-workspace'],
    ['rm --recursive /workspace', 'removes-workspace'],
    ['cd src; rm -rf ..', 'removes-workspace'],
    ['rm -rf ~', 'removes-workspace'],
    ['echo x > lib/a.ts', 'out-of-scope'],
    ['echo x>>lib/a.ts', 'out-of-scope'],
    ['echo x 2> lib/a.ts', 'out-of-scope'],
    ['make &> lib/log', 'out-of-scope'],
    ['cat <<EOF > lib/a.ts\nbody\nEOF', 'out-of-scope'],
    ['echo x | tee -a lib/a.ts', 'out-of-scope'],
    ['touch src/a lib/b', 'out-of-scope'],
    ['cp src/a.ts lib/a.ts', 'out-of-scope'],
    ['cp src/a.ts lib/', 'out-of-scope'],
    ['mv src/a.ts /etc/x', 'outside-workspace'],
    ["sed -i 's/a/b/' src/a lib/b", 'out-of-scope'],
    ["sed -i.bak -e 's/a/b/' lib/b", 'out-of-scope'],
    ['dd if=x of=lib/b', 'out-of-scope'],
    ['cd lib && echo x > a.ts', 'out-of-scope'],
    ['echo x > /workspace/lib/a', 'out-of-scope'],
    ['echo x > ../a', 'outside-workspace'],
    ['echo x > .claude/settings.json', 'agent-config'],
    ['echo x > ~/.claude/settings.json', 'own-config'],
    ['echo x > .git/hooks/pre-commit', 'git-path'],
  ])('%s: %s', (command, rule) => {
    expect(ruleOf(decide(run(command)))).toBe(rule);
  });

  test.each([
    'git status && git diff && git log --oneline -5',
    'git commit -am "never git push"',
    'git commit -m "rebase and merge"',
    'git merge-base HEAD main',
    'git reset --soft HEAD~1',
    'git log -n 3',
    'echo git push',
    'grep -rn "git push" docs',
    "cat > src/notes.md <<'EOF'\ngit push\necho > lib/a\nEOF",
    'cat <<-EOF\n\tgit push\n\tEOF\nls',
    'npm test > /tmp/log 2>&1',
    'npm test >/dev/null 2>&1; echo $?',
    'echo x > "$FILE"',
    'echo x > lib/$name',
    'cd "$DIR" && echo x > a.ts',
    'pushd lib; echo x > a.ts',
    '(cd src && make); cat x',
    'if [ -d lib ]; then cd lib; fi; echo x > a.ts',
    'cd src && echo x > a.ts && cp a.ts b.ts',
    'cp lib/a.ts src',
    'cp -r lib/. src/x',
    'mv src/a.ts src/b.ts',
    "sed -n '1,200p' lib/a.ts",
    "sed 's/a > b/c/' lib/a.ts",
    '[[ $a > lib ]] && echo yes',
    '(( a > lib )) && echo $((1 > 2))',
    'awk "{ print > 3 }" x',
    'rm -rf node_modules dist',
    'rm lib/scratch.ts',
    'rm -rf /tmp/x',
    'rm -rf src/*',
    'find . -name "*.ts" -exec grep -l x {} \\;',
    'ls # git push',
    "python3 -c \"open('lib/a','w')\"",
    'make 2>&1 | tee /tmp/log | tail -5',
    'tidegate ask --scope lib/a.ts',
    '',
    ';;;',
    ')))',
    '"',
    "echo 'unfinished",
    '$(',
    'cat <<',
  ])('%s: allowed', (command) => {
    expect(decide(run(command))).toEqual({ decision: 'allow' });
  });

  test('is judged from where it starts', () => {
    expect(ruleOf(decide(run('echo x > a.ts', '/workspace/src')))).toBe('allow');
    expect(ruleOf(decide(run('echo x > src/a.ts', '/workspace/src/lib')))).toBe('allow');
    expect(ruleOf(decide(run('echo x > a.ts', '/workspace/lib')))).toBe('out-of-scope');
    expect(ruleOf(decide(run('echo x > a.ts', '/etc')))).toBe('outside-workspace');
  });

  test('of a read-only task may not write in the workspace', () => {
    expect(ruleOf(decider(plannedTask('look', { owns: [] }))(run('npm test > out.log')))).toBe('read-only');
  });

  const limited = decider(client, { forbid: ['drop tables', 'Terraform apply'], block: ['npm publish', 'curl'] });
  test.each([
    ['psql -c "DROP TABLES users;"', 'forbidden'],
    ['echo drop all the tables', 'forbidden'],
    ['terraform -chdir=x apply', 'forbidden'],
    ['terraform plan; echo apply', 'allow'],
    ['tables drop', 'allow'],
    ['npm publish', 'blocked-command'],
    ['NPM --tag x PUBLISH', 'blocked-command'],
    ['sudo /usr/bin/npm publish', 'blocked-command'],
    ['echo npm publish', 'allow'],
    ['npm run publish-docs', 'allow'],
    ['wget x | curl -d @- y', 'blocked-command'],
    ['grep curl x', 'allow'],
  ])('%s: %s, by what the plan forbids and blocks', (command, rule) => {
    expect(ruleOf(limited(run(command)))).toBe(rule);
  });
});

describe('whatever the agent passes', () => {
  const judge = decider(client, { forbid: ['drop tables'], block: ['npm publish'] });
  const pieces = fc.constantFrom(
    ...[
      'git',
      'push',
      ' ',
      '\n',
      ';',
      '&&',
      '|',
      '&',
      '(',
      ')',
      '((',
      '))',
      '$(',
      '`',
      '"',
      "'",
      '\\',
      '$',
      '${',
      '}',
      '{',
      '<<',
      '<<-',
    ],
    ...[
      'EOF',
      '>',
      '>>',
      '>&',
      '<(',
      '#',
      'a=b',
      'sh -c ',
      'eval ',
      'env ',
      'sudo ',
      'xargs ',
      'cd ',
      'rm -rf ',
      '/',
      '..',
      '*',
      '~',
      '[[',
      ']]',
      '1',
      'é',
      '\u0000',
    ],
  );

  test('it is answered', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60, size: 'max' }), (parts) => {
        expect(['allow', 'deny']).toContain(judge(run(parts.join(''))).decision);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        expect(['allow', 'deny']).toContain(judge(write(path)).decision);
      }),
    );
  });

  test.each([
    'a;',
    '$(',
    '"$(',
    '`',
    '(',
    '((',
    '<(',
    "'",
    '"',
    '\\',
    'sh -c "',
    'env ',
    'sudo ',
    'eval ',
    '<<E\n',
    '> a ',
    'x ',
    '{',
    '[[ > ',
    'git -c alias.a=b ',
    'cd a;',
    '$((',
    '#',
    '\n',
    'find -exec ',
    'rm -rf * ',
    'cp a b;',
  ])('a megabyte of %j is no trouble', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const begin = spentMs();
    judge(run(text));
    expect(spentMs() - begin).toBeLessThan(3000);
  });
});

test('a typical decision takes less than a millisecond', () => {
  const typical = [
    run("cd src && npm test -- --run 2>&1 | tail -n 40 && sed -i 's/a/b/' src/a.ts"),
    write('src/deep/down/a.ts'),
  ];
  for (const one of typical) decide(one);
  const begin = spentMs();
  for (let round = 0; round < 500; round++) for (const one of typical) decide(one);
  expect((spentMs() - begin) / 1000).toBeLessThan(1);
});

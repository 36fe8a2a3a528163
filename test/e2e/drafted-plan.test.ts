import { describe, expect, test } from 'vitest';
import { handoff, project, scripted } from '../support/project.ts';

const file = 'drafted.plan.yaml';
const sound = 'name: drafted\ntasks:\n  one: Say hello in readme.md\n';

/** A task that drafts a plan by a script; what stands against it, as the ledger has it, attempt by attempt. */
async function drafting(script: string) {
  const draft = scripted(`${script}; ${handoff}`, { owns: [file], drafts: file });
  await using here = await project({ plan: { land: 'auto', tasks: { draft } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--json');
  const events = (await here.events()).map(({ event }) => event);
  const read = events.flatMap((event) => (event.type === 'attempt-ended' ? [event.drafted] : []));
  const { exit, needs } = JSON.parse(ran.stdout) as { exit: number; needs: readonly { message: string }[] };
  const landed = here.git('ls-tree', '--name-only', 'main').includes(file);
  return { exit, message: needs[0]?.message ?? '', read, landed };
}

const written = (text: string) => (to: string) => `printf '%s' '${text}' > ${to}`;
const printed = (text: string): string => written(text)(file);

describe('a plan that an agent drafted', () => {
  test('is sent back with its mistakes, each with its place, and is done when there are none left', async () => {
    const broken = 'name: drafted\ntasks:\n  one: {do: Say hello in readme.md, needs: [two]}\n';
    const mended = `if test -f ${file}; then ${printed(sound)}; else ${printed(broken)}; fi`;
    const { exit, read, landed } = await drafting(mended);
    expect([exit, landed]).toEqual([0, true]);
    expect(read).toMatchObject([[{ rule: 'unknown-need', where: `${file}:3:45` }], []]);
  });

  test('that stays as it is never lands: a person is told what is wrong with it', async () => {
    const clash =
      'waves:\n  - tasks:\n      a: {do: Say hello in readme.md, owns: [readme.md]}\n      b: {do: Say hello in readme.md, owns: [readme.md]}\n';
    const { exit, message, read, landed } = await drafting(printed(clash));
    expect([exit, landed]).toEqual([43, false]);
    expect(message).toContain('could both write `readme.md`');
    expect(read).toMatchObject([[{ rule: 'ownership-conflict' }], [{ rule: 'ownership-conflict' }]]);
  });

  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...['b', 'c', 'd', 'e'].map(nested)].join('\n');
  function nested(name: string, at: number): string {
    const inner = `*${'abcd'[at]}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(',')}]`;
  }
  const attempts: Readonly<Record<string, [script: (to: string) => string, finding: object]>> = {
    'asks for no fence': [written(`fence: none\n${sound}`), { rule: 'needs-confirmation', where: 'IT:1:8' }],
    'asks for network': [written(`fence: {network: "on"}\n${sound}`), { rule: 'needs-confirmation' }],
    'names hosts': [written(`fence: {network: [evil.example]}\n${sound}`), { rule: 'needs-confirmation' }],
    'sends news away': [written(`thread: {threads: "https://e.example/t"}\n${sound}`), { rule: 'needs-confirmation' }],
    'asks for a variable': [written(`fence: {env: [AWS_SECRET_ACCESS_KEY]}\n${sound}`), { rule: 'needs-confirmation' }],
    'calls a hook': [written(`notify: [touch, /tmp/x]\n${sound}`), { rule: 'unknown-key' }],
    'leads to another plan': [written('plan: plan.yaml\n'), { rule: 'bad-redirect', where: 'IT:1:7' }],
    'names a brief outside': [written('tasks: {a: ../../etc/x.md}\n'), { rule: 'leaves-repository' }],
    'is a link': [(to) => `ln -s plan.yaml ${to}`, { rule: 'not-a-file' }],
    'is a bomb of aliases': [written(bomb), { rule: 'yaml-alias' }],
    'has 50 MB': [(to) => `head -c 52428800 /dev/zero | tr '\\0' '#' > ${to}`, { rule: 'file-too-large' }],
    'is no text': [(to) => `printf '\\377\\376' > ${to}`, { rule: 'not-utf-8' }],
  };
  test('is refused whatever it tries, and nothing of it lands', async () => {
    const tried = Object.entries(attempts).map(([what, [script, finding]]) => {
      const id = what.replaceAll(' ', '-').toLowerCase();
      const to = `${id}.plan.yaml`;
      return { id, to, finding, task: scripted(`${script(to)}; ${handoff}`, { owns: [to], drafts: to }) };
    });
    const tasks = Object.fromEntries(tried.map(({ id, task }) => [id, task]));
    await using here = await project({ plan: { land: 'auto', limits: { attempts: 1 }, tasks } });
    expect((await here.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(43);
    const events = (await here.events()).map(({ event }) => event);
    const read = events.flatMap((event) =>
      event.type === 'attempt-ended' ? [[event.task, event.drafted] as const] : [],
    );
    const expected = tried.map(({ id, to, finding }) => [
      id,
      [JSON.parse(JSON.stringify(finding).replace('IT', to)) as object],
    ]);
    expect(Object.fromEntries(read)).toMatchObject(Object.fromEntries(expected));
    expect(here.git('ls-tree', '--name-only', 'main')).toBe('plan.yaml\nreadme.md');
  });

  test('that holds a secret is not read: words of it would be kept', async () => {
    // in two parts: a plan that has it in its own text is refused before it starts
    const secret = `sk-ant-api03-%s${'Ab3'.repeat(30)}-AAAAAA`;
    const { exit, read, landed } = await drafting(
      `printf 'agent: ${secret}\\n' Ab3 > ${file}; ${printed(sound).replace('>', '>>')}`,
    );
    expect([exit, landed, read]).toEqual([43, false, [undefined]]);
  });
});

import type { CommandEntry, Register } from '../cli/command.ts';
import type { OpenDesk } from '../cli/desk.ts';
import type { Replay } from '../cli/replay.ts';

type AtDesk = (open: OpenDesk) => Register;

/** Commands about runs: each works at the desk of the repository it is called in. */
export const runCommands: readonly CommandEntry[] = [
  {
    name: 'go',
    usage: '<task…> [--then <task…>]… [--agent <name>] [--dry-run] [-d, --detach] [--yes] [--land] [--focus <text>]',
    summary: 'run what you type, without a plan file',
    group: 'run',
    load: () => loadAtDesk(async () => (await import('../cli/go.ts')).go),
  },
  {
    name: 'run',
    usage:
      '[plan | task.md…] [--wave <n>] [--dry-run] [-d, --detach] [--yes] [--land] [--focus <text>] [--ci [--junit <file>]]',
    summary: 'check a plan, ask, run it, and land what is proven',
    group: 'run',
    load: () => loadAtDesk(async () => (await import('../cli/run.ts')).run),
  },
  {
    name: 'plan',
    usage:
      '"<goal>" [--template <name>] [--agent <name> [--yes] [--land]] [--dry-run] [-o, --output <file>] | --from-go <run>',
    summary: 'a plan file of a goal, or of what you typed; never overwrites',
    group: 'run',
    load: async () => {
      const [{ plan }, { openDesk }, { planFiles }] = await Promise.all([
        import('../cli/plan.ts'),
        import('./desk.ts'),
        import('./plan-reader.ts'),
      ]);
      return plan(openDesk, planFiles);
    },
  },
  {
    name: 'resume',
    usage: '[run] [--replan] [-d, --detach] [--yes] [--land]',
    summary: 'go on after a pause, a stop or a crash, with the same plan',
    group: 'run',
    load: () => loadAtDesk(async () => (await import('../cli/mode.ts')).resume),
  },
  {
    name: 'pause',
    usage: '[run]',
    summary: 'start nothing new; what runs goes on',
    group: 'run',
    load: () => loadAtDesk(async () => (await import('../cli/mode.ts')).pause),
  },
  {
    name: 'stop',
    usage: '[run]',
    summary: 'end the agents of a run; their work is kept',
    group: 'run',
    load: () => loadAtDesk(async () => (await import('../cli/mode.ts')).stop),
  },
  {
    name: 'status',
    usage: '[run] [--all]',
    summary: 'where a run stands and what it waits for',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/status.ts')).status),
  },
  {
    name: 'watch',
    usage: '[run]',
    summary: 'a run live until it ends, on a terminal with keys',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/watch.ts')).watch),
  },
  {
    name: 'why',
    usage: '[run[/task]]',
    summary: 'the one thing in the way, and what to type',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/why.ts')).why),
  },
  {
    name: 'logs',
    usage: '[run[/task]] [-f, --follow] [--attempt <n>] [--check <name>] [--generated]',
    summary: 'what agents printed',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/logs.ts')).logs),
  },
  {
    name: 'attach',
    usage: '[run[/task]] [--tail] [--attempt <n>]',
    summary: 'what an agent says and does, readably, while it works',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/attach.ts')).attach),
  },
  {
    name: 'diff',
    usage: '[run[/task]] [--stat] [--name-only] [-t, --tool [name]] [--no-pager]',
    summary: 'what each task changed, and whose each file is',
    group: 'look',
    load: async () => {
      const [{ diff }, { openDesk }, { diffPrograms }] = await Promise.all([
        import('../cli/diff.ts'),
        import('./desk.ts'),
        import('./person-programs.ts'),
      ]);
      return diff(openDesk, diffPrograms);
    },
  },
  {
    name: 'open',
    usage: '<run/task> [--print]',
    summary: 'the files of a task in your editor',
    group: 'look',
    load: async () => {
      const [{ open }, { openDesk }, { openPrograms }] = await Promise.all([
        import('../cli/open.ts'),
        import('./desk.ts'),
        import('./person-programs.ts'),
      ]);
      return open(openDesk, openPrograms);
    },
  },
  {
    name: 'shell',
    usage: '<run/task> [-- command…]',
    summary: "try out what a task made: your shell, in its agent's fence",
    group: 'look',
    load: async () => {
      const [{ shell }, { openDesk }, { enterShell }] = await Promise.all([
        import('../cli/shell.ts'),
        import('./desk.ts'),
        import('./shell.ts'),
      ]);
      return shell(openDesk, enterShell);
    },
  },
  {
    name: 'show',
    usage: '[run[/task]] [--prompt]',
    summary: 'all that is known of a run or a task, or what its agent is told',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/show.ts')).show),
  },
  {
    name: 'conflicts',
    usage: '[run]',
    summary: 'files that could not be integrated',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/conflicts.ts')).conflicts),
  },
  {
    name: 'costs',
    usage: '[run]',
    summary: 'turns, tokens and money by task, agent and wave',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/costs.ts')).costs),
  },
  {
    name: 'events',
    usage: '[run] [--all] [-f, --follow]',
    summary: 'the ledger, event by event',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/events.ts')).events),
  },
  {
    name: 'board',
    usage: '[run]',
    summary: 'what agents and people wrote to one another',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/board.ts')).board),
  },
  {
    name: 'inbox',
    usage: '',
    summary: 'everything that waits for you, in all runs',
    group: 'look',
    load: () => loadAtDesk(async () => (await import('../cli/board.ts')).inbox),
  },
  {
    name: 'approve',
    usage: '[run] [--plan <hash>]',
    summary: 'say yes to what is asked: the start, or the landing',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/decide.ts')).approve),
  },
  {
    name: 'reject',
    usage: '[run] [--plan <hash>]',
    summary: 'say no, for good',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/decide.ts')).reject),
  },
  {
    name: 'hold',
    usage: '[run] [--plan <hash>]',
    summary: 'put the decision off; a later approve lifts it',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/decide.ts')).hold),
  },
  {
    name: 'grant',
    usage: '<run/task> <path…>',
    summary: 'let a task change paths outside of what it owns',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/resolve.ts')).grant),
  },
  {
    name: 'drop',
    usage: '<run/task> [path…]',
    summary: 'give a task up by name, or some of its changes',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/resolve.ts')).drop),
  },
  {
    name: 'retry',
    usage: '<run/task> [--agent <name>]',
    summary: 'begin a task again from its base, or give it to another agent',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/resolve.ts')).retry),
  },
  {
    name: 'rework',
    usage: '<run/task> [-m, --message <text>] [-f, --file <file>]',
    summary: 'let an agent mend what is there',
    group: 'decide',
    load: async () => {
      const [{ rework }, { openDesk }, { readCommentsOf }] = await Promise.all([
        import('../cli/resolve.ts'),
        import('./desk.ts'),
        import('./person-programs.ts'),
      ]);
      return rework(openDesk, readCommentsOf);
    },
  },
  {
    name: 'send',
    usage: '<run/task> <message>',
    summary: 'a word to an agent at work, where it takes one',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/send.ts')).send),
  },
  {
    name: 'post',
    usage: '[run[/task]] -m, --message <text> [--kind <kind>]',
    summary: 'write to the agents of a run; they find it in their inbox',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/post.ts')).post),
  },
  {
    name: 'answer',
    usage: '<run/record> [-m, --message <text>] [--close]',
    summary: 'answer what an agent asks on the board',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/post.ts')).answer),
  },
  {
    name: 'raise',
    usage: '[run[/task]] --usd <amount>',
    summary: 'more money; what was paused for the lack of it goes on',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/raise.ts')).raise),
  },
  {
    name: 'land',
    usage: '[run] [--only <tasks>] [--except <tasks>]',
    summary: 'move your branch to what the run has proven, or to some of it',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/land.ts')).land),
  },
  {
    name: 'undo',
    usage: '[run[/task]] [--dry-run] [--yes]',
    summary: 'take a landing back; on a terminal it shows how, and asks',
    group: 'decide',
    load: () => loadAtDesk(async () => (await import('../cli/land.ts')).undo),
  },
  {
    name: 'replay',
    usage: '[run]',
    summary: 'judge all evidence of a run again; the verdicts must be the same',
    group: 'keep',
    load: () => loadReplaying(async () => (await import('../cli/replay.ts')).replay),
  },
  {
    name: 'verify',
    usage: '',
    summary: 'prove that the ledger is whole, and replay every run',
    group: 'keep',
    load: () => loadReplaying(async () => (await import('../cli/replay.ts')).verify),
  },
  {
    name: 'rescue',
    usage: '[run[/task]]',
    summary: 'every snapshot that was taken, and how to branch it',
    group: 'keep',
    load: () => loadAtDesk(async () => (await import('../cli/rescue.ts')).rescue),
  },
  {
    name: 'clean',
    usage: '[--dry-run]',
    summary: 'remove workspaces that landed or were dropped, and unused copies',
    group: 'keep',
    load: () => loadAtDesk(async () => (await import('../cli/clean.ts')).clean),
  },
  {
    name: 'read-draft',
    usage: '<commit> <file> <branch>',
    summary: 'what stands against a plan in a snapshot; called by coordinators',
    group: 'keep',
    hidden: true,
    load: async () => {
      const [{ readDraft }, { openDesk }, { draftText }] = await Promise.all([
        import('../cli/read-draft.ts'),
        import('./desk.ts'),
        import('./plan-reader.ts'),
      ]);
      return readDraft(openDesk, draftText);
    },
  },
  {
    name: 'coordinate',
    usage: '',
    summary: 'drive the runs of this repository; started by other commands',
    group: 'keep',
    hidden: true,
    load: () => loadAtDesk(async () => (await import('../cli/coordinate.ts')).coordinate),
  },
];

async function loadAtDesk(load: () => Promise<AtDesk>): Promise<Register> {
  const [atDesk, { openDesk }] = await Promise.all([load(), import('./desk.ts')]);
  return atDesk(openDesk);
}

async function loadReplaying(load: () => Promise<(open: OpenDesk, replay: Replay) => Register>): Promise<Register> {
  const [replaying, { openDesk }, { replayRun }] = await Promise.all([
    load(),
    import('./desk.ts'),
    import('../engine/replay.ts'),
  ]);
  return replaying(openDesk, replayRun);
}

import { environmentPattern } from '../closure/report.ts';
import {
  agentName,
  argv,
  described,
  either,
  fields,
  flag,
  list,
  nullable,
  pathPatterns,
  positive,
  text,
  type ValueOf,
  whole,
  words,
} from './shapes.ts';

/** Keys of every closure role. */
const roleKeys = {
  agent: described(either(agentName, list(agentName, 1)), 'An agent, or a list of agents to fall back on.'),
  command: described(argv, 'Program and arguments, for agent: command or acp.'),
  model: described(nullable(words), 'Model of this role. null: the default of the agent.'),
  owns: described(pathPatterns, 'Paths that the role may change. No task of the wave may change them. Default: none.'),
  do: described(words, 'Instructions of yours for the role, beside its own.'),
  markers: described(
    flag,
    'For a role with a program: marker lines in its output are its report. Only for a program that prints nothing of the work that it judges. Default: false.',
  ),
};

/** One closure role: the name of its agent, or its keys. */
const closureRole = either(agentName, fields({}, roleKeys));

const targetId = text({ matches: /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/ });
const threshold = described(words, 'The condition for satisfied, in words.');
const evalTarget = either(
  fields(
    { id: targetId, benchmarks: described(list(targetId, 1), 'Benchmarks that have to be run, all of them.') },
    { threshold },
  ),
  fields(
    {
      id: targetId,
      family: described(targetId, 'Family of the catalogue. At least one of its benchmarks has to be run.'),
    },
    { threshold },
  ),
);
const evalRole = either(
  agentName,
  fields(
    {},
    {
      ...roleKeys,
      targets: described(list(evalTarget, 1), 'Everything that has to be evaluated. The report names exactly these.'),
      catalogue: described(words, 'File of the base branch with the benchmarks of each family, JSON or YAML.'),
    },
  ),
);
const deployRole = either(
  agentName,
  fields(
    {},
    {
      ...roleKeys,
      environments: described(list(text({ matches: environmentPattern }), 1), 'Environments that have to be healthy.'),
    },
  ),
);

/** The resolver: the name of its agent, or its keys. */
export const writtenResolver = either(
  agentName,
  fields({}, { agent: roleKeys.agent, command: roleKeys.command, model: roleKeys.model }),
);

/** The resident orchestrator: the name of its agent, or its keys. */
export const writtenOrchestrator = either(
  agentName,
  fields(
    {},
    {
      agent: described(agentName, 'Its agent.'),
      command: described(argv, 'Program and arguments, for agent: command or acp. It sees no file of the repository.'),
      model: described(nullable(words), 'Its model. null: the default of the agent.'),
      do: described(words, 'Instructions of yours, beside its own.'),
      limits: fields(
        {},
        {
          usd: described(positive, 'US dollars in the whole run, part of the budget of the run. Default: 5.'),
          minutes: described(whole(1, 10_080), 'Minutes in the whole run. Default: 240.'),
        },
      ),
    },
  ),
);
export type WrittenOrchestrator = ValueOf<typeof writtenOrchestrator>;

export type WrittenClosureRole = ValueOf<typeof closureRole> | ValueOf<typeof evalRole> | ValueOf<typeof deployRole>;
export type WrittenTarget = ValueOf<typeof evalTarget>;

/** Closure roles of a wave, by name. */
export const writtenClosure = fields(
  {},
  {
    design: closureRole,
    eval: evalRole,
    security: closureRole,
    integration: closureRole,
    docs: closureRole,
    infra: closureRole,
    deploy: deployRole,
    qa: closureRole,
  },
);
export type WrittenClosure = ValueOf<typeof writtenClosure>;

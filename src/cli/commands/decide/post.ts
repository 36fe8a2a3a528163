import { confidences, kindsOf, priorities, severities } from '../../../domain/board/kinds.ts';
import { theRepository } from '../../../domain/repository/repository.ts';
import { aRunOrTask, command } from '../../frame/command.ts';

const kinds = kindsOf('person');

export const postCommand = command({
  name: 'post',
  group: 'decide',
  summary: 'write a message to the agents of a run, or of all runs',
  arguments: {
    subject: { ...aRunOrTask, about: 'run, for all its tasks, or run/task (default: the live run)' },
  },
  options: {
    repository: { about: 'write to the board of the repository, which all live and later runs read' },
    message: { short: 'm', value: 'text', required: true, about: 'the message; agents find it in their inbox' },
    kind: { value: 'kind', default: 'note', choices: kinds, about: kinds.join(', ') },
    to: {
      value: 'task',
      choices: ['all', 'owner', 'person'],
      about: 'a task, owner (of what --ref names), capability:<name>, all or person (default: the subject)',
    },
    severity: { value: 'level', choices: severities, about: 'advisory, normal or critical' },
    ref: { value: 'reference', repeatable: true, about: 'a path, component:<name>, task:<name> or record:<number>' },
    'depends-on': { value: 'record', repeatable: true, about: 'a record that must be settled first' },
    until: { value: 'text', about: 'when it is settled, in words' },
    priority: { value: 'level', choices: priorities, about: priorities.join(', ') },
    confidence: { value: 'level', choices: confidences, about: confidences.join(', ') },
  },
  help: 'A request or a question to a task keeps its wave open until it is settled. To see all records: tidegate board',
  asks: ({ subject, repository, message, kind, to, severity, ref, until, priority, confidence, ...more }) => {
    const { 'depends-on': dependsOn } = more;
    const given = { target: to, severity, closureCondition: until, priority, confidence };
    const lists = { references: ref, dependsOn };
    const words = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const named = Object.fromEntries(Object.entries(lists).filter(([, list]) => (list?.length ?? 0) > 0));
    const input = { kind, text: message, ...words, ...named };
    return repository || subject === theRepository
      ? { action: 'post-above', subject: repository ? subject : undefined, input }
      : { action: 'post', subject, input };
  },
});

import type { ExitRecord, Job, NumberedNote, StartedRecord, Supervisors } from '../../ports/supervisor.ts';

/** Resolves with the exit record, whoever started the supervisor. */
export function superviseJob(
  supervisors: Supervisors,
  job: Job,
  on: {
    started(record: StartedRecord, pid: number): Promise<void>;
    noted(notes: readonly NumberedNote[]): Promise<void>;
    followed(): void;
  },
): Promise<ExitRecord> {
  return new Promise((resolve, reject) => {
    let noted = Promise.resolve();
    const listen = supervisors.ensure(job, (event) => {
      if (event.type === 'ended') noted.then(() => resolve(event.record), reject);
      else
        noted = noted.then(() =>
          event.type === 'started' ? on.started(event.record, event.pid) : on.noted(event.notes),
        );
      noted.catch(reject);
    });
    on.followed();
    listen.catch(reject);
  });
}

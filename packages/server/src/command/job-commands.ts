import type { Command } from 'commander';
import type { DeadLetter, DeadLetters } from '../jobs/dead-letters.ts';
import { parseId } from './arguments.ts';
import { print, table } from './command-output.ts';
import { withServices } from './lazily.ts';

export function jobCommands(program: Command): void {
  const jobs = program.command('jobs').description('list and retry background jobs that failed');

  jobs
    .command('list')
    .description('list background jobs that failed for good, oldest first')
    .requiredOption('--failed', 'jobs that failed for good')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await inDeadLetters((letters) => letters.list());
      const rows = found.map((one) => [one.id, one.queue, one.failedAt.toISOString(), one.error]);
      print(json, found.map(toDocument), table(['ID', 'QUEUE', 'FAILED AT', 'ERROR'], rows));
    });

  jobs
    .command('retry')
    .description('put a failed job back into its queue')
    .argument('<id>', 'the job, as `svc jobs list --failed` names it', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const retried = await inDeadLetters((letters) => letters.retry(id));
      if (!retried) throw new Error('There is no failed job with this id.');
      print(json, { id, retried }, 'The job is in its queue again.');
    });
}

function inDeadLetters<Result>(work: (deadLetters: DeadLetters) => Promise<Result>): Promise<Result> {
  return withServices(async ({ database }) => {
    const [{ withDeadLetters }, { createLog }] = await Promise.all([
      import('../jobs/dead-letters.ts'),
      import('../lib/log.ts'),
    ]);
    return withDeadLetters({ database, log: createLog({ level: 'silent', readable: false }) }, work);
  });
}

function toDocument(letter: DeadLetter) {
  const { id, queue, error, attempts, data } = letter;
  return { id, queue, error, attempts, data, failed_at: letter.failedAt.toISOString() };
}

import type { Message } from '@svc/contract/common';
import type { FailedJob, JobQuery } from '@svc/contract/jobs';
import { recordChange } from '../audit/audit.service.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { notFound } from '../lib/app-error.ts';
import type { Services } from '../services.ts';

export interface FailedJobPage {
  jobs: FailedJob[];
  /** The cursor of the next page; undefined on the last. */
  next: string | undefined;
}

export type FailedJobService = ReturnType<typeof createFailedJobService>;

const defaultLimit = 100;
/** Unexpected errors may contain more than a workspace should see; the operator finds them in the log and in `svc jobs`. */
const unexpected = 'Something went wrong on our side; the operator of the service can see what.';

/** A workspace's background jobs that failed permanently. */
export function createFailedJobService({ database, jobs }: Pick<Services, 'database' | 'jobs'>) {
  return {
    async list(workspaceId: string, { limit = defaultLimit, before }: JobQuery): Promise<FailedJobPage> {
      const rows = await jobs.listFailed(workspaceId, { limit: limit + 1, before });
      const shown = rows.slice(0, limit);
      return {
        jobs: shown.map(({ id, queue, data, output, attempts, failedAt }) => ({
          id,
          status: 'failed',
          queue,
          subject: subjectOf(data),
          error: output?.reason ?? unexpected,
          attempts,
          failed_at: failedAt.toISOString(),
        })),
        next: rows.length > limit ? shown.at(-1)?.cursor : undefined,
      };
    },

    /** The job leaves the list; if it fails again, it is listed under another id. */
    retry(workspaceId: string, jobId: string, record: RecordAnswer<Message>): Promise<Message> {
      return database.within(workspaceId).transaction(async (tx) => {
        if (!(await jobs.retryFailed(tx, workspaceId, jobId))) throw notFound();
        await recordChange(tx, workspaceId, { action: 'job.retried', object: { id: jobId } });
        const answer = { message: 'The job is in its queue again.' };
        await record(tx, answer);
        return answer;
      });
    },
  };
}

/** Only ids, under their API names: `knowledgeId` is `knowledge_id`. */
function subjectOf({ workspaceId: _own, ...data }: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) =>
      name.endsWith('Id') && typeof value === 'string' ? [[apiName(name), value]] : [],
    ),
  );
}

function apiName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

import { IdParams, Message } from '@svc/contract/common';
import { FailedJob, JobQuery } from '@svc/contract/jobs';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Workspace');
const path = '/api/v1/jobs';

export function failedJobRoutes(
  app: HttpApp,
  { failedJobs, publicUrl, idempotent }: Pick<Services, 'failedJobs' | 'idempotent' | 'publicUrl'>,
): void {
  app.get(
    path,
    operation({
      ability: 'workspace:write',
      id: 'listFailedJobs',
      summary: 'List background jobs that failed for good, newest first',
      description:
        "This workspace's webhooks, notices and the like. They are kept for 90 days. The `Link` header leads to the next page while there is one.",
      schema: { querystring: JobQuery, response: { 200: Type.Array(FailedJob) } },
    }),
    async (request, reply) => {
      const { query } = request;
      const page = await failedJobs.list(workspaceOf(request), query);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.jobs;
    },
  );

  app.post(
    `${path}/:id/retry`,
    operation({
      ability: 'workspace:write',
      id: 'retryJob',
      summary: 'Put a failed job back into its queue',
      description:
        'It leaves the list and has all its attempts again. If it fails once more, it is listed under another id.',
      schema: { params: IdParams, response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<Message>(request, (record) =>
        failedJobs.retry(workspaceOf(request), request.params.id, record),
      ),
  );
}

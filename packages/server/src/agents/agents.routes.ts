import { TriggeredRun, TriggerRun, triggerBodyLimitBytes } from '@svc/contract/agents';
import { IdParams } from '@svc/contract/common';
import { findMember, principalOf, workspaceOf } from '../http/access.ts';
import type { ConcurrencyLimits } from '../http/concurrency-limits.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { traceParentOf } from '../http/request-id.ts';
import { invalid } from '../lib/app-error.ts';
import type { AgentService } from './agents.service.ts';

export function agentRoutes(
  app: HttpApp,
  {
    agents,
    idempotent,
    concurrencyLimits,
  }: { agents: AgentService; idempotent: Idempotent; concurrencyLimits: ConcurrencyLimits },
): void {
  app.post(
    '/api/v1/agents/:id/trigger',
    operation({
      ability: 'agents:trigger',
      tag: 'Agents',
      id: 'triggerAgent',
      summary: 'Run an agent now',
      description:
        'Answers immediately; the run continues in the background for at most 24 hours. Its outcome is read with `GET /api/v1/conversations/{id}`. What the run lacks, such as balance or a machine that is online, is reported there as a failed run. One run at a time: on 409 wait for the current one to end.',
      schema: { params: IdParams, body: TriggerRun, response: { 202: TriggeredRun } },
      errors: ['RUN_IN_PROGRESS'],
      idempotent: true,
      bodyLimit: triggerBodyLimitBytes,
      badBody: 'VALIDATION_FAILED',
    }),
    async (request, reply) => {
      // An empty body counts as no body; null does not.
      if (request.body === null) throw invalid('body', 'must be an object');
      const work = idempotent<TriggeredRun>(request, (record) =>
        concurrencyLimits.during('turns', request, () =>
          agents.trigger(workspaceOf(request), request.params.id, request.body, {
            trigger: findMember(request) ? 'console' : 'api',
            requestId: request.id,
            traceParent: traceParentOf(request),
            actsFor: principalOf(request).keyId,
            record,
          }),
        ),
      );
      return reply.code(202).send(await work);
    },
  );
}

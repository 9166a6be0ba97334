import { IdParams } from '@svc/contract/common';
import { AgentSchedule, SchedulePreview, SchedulePreviewRequest } from '@svc/contract/schedules';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import type { Idempotent } from '../../http/idempotency.ts';
import { operation } from '../../http/operation.ts';
import type { ScheduleService } from './schedules.service.ts';

export function scheduleRoutes(
  app: HttpApp,
  { schedules, idempotent }: { schedules: ScheduleService; idempotent: Idempotent },
): void {
  app.post(
    '/api/v1/schedules/preview',
    operation({
      ability: 'bots:read',
      tag: 'Agents',
      id: 'previewSchedule',
      summary: 'See what a schedule means and when it fires next',
      description:
        'Reads it as bots do, so a schedule that is accepted here is accepted there. `details` says what is wrong with it.',
      schema: { body: SchedulePreviewRequest, response: { 200: SchedulePreview } },
      idempotent: true,
    }),
    (request) => idempotent<SchedulePreview>(request, () => schedules.preview(request.body)),
  );

  app.get(
    '/api/v1/agents/:id/schedule',
    operation({
      ability: 'bots:read',
      tag: 'Agents',
      id: 'getAgentSchedule',
      summary: "Read an agent's schedule and what became of its slots",
      description:
        'A slot is a moment at which the schedule asks for a run. Each fires once, on one node. Of slots that were missed while the service was down, the newest fires if it is younger than an hour; the others are skipped.',
      schema: { params: IdParams, response: { 200: AgentSchedule } },
    }),
    (request) => schedules.get(workspaceOf(request), request.params.id),
  );
}

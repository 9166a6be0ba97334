import { Created, IdParams, Message } from '@svc/contract/common';
import {
  Scenario,
  ScenarioCreate,
  ScenarioDraft,
  ScenarioParams,
  ScenarioUpdate,
} from '@svc/contract/scenarios';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import type { Idempotent } from '../../http/idempotency.ts';
import { operation } from '../../http/operation.ts';
import type { SendList } from '../../http/send-list.ts';
import type { ScenarioService } from './scenarios.service.ts';

const tag = 'Evaluations';
const path = '/api/v1/bots/:id/scenarios';

export function scenarioRoutes(
  app: HttpApp,
  {
    scenarios,
    idempotent,
    sendList,
  }: { scenarios: ScenarioService; idempotent: Idempotent; sendList: SendList },
): void {
  app.get(
    path,
    operation({
      ability: 'bots:read',
      tag,
      id: 'listScenarios',
      summary: "List a bot's scenarios, in the order in which they are run",
      schema: { params: IdParams, response: { 200: Type.Array(Scenario) } },
    }),
    (request, reply) => sendList(reply, scenarios.list(workspaceOf(request), request.params.id)),
  );

  app.post(
    path,
    operation({
      ability: 'bots:write',
      tag,
      id: 'createScenario',
      summary: 'Create a scenario',
      description:
        'What a user says, what must be true of the answers, which functions must and must not be called, and what stands in for their results. A scenario that expects nothing passes when every turn gets an answer.',
      schema: { params: IdParams, body: ScenarioCreate, response: { 201: Created } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        scenarios.create(workspaceOf(request), request.params.id, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.put(
    `${path}/:scenario_id`,
    operation({
      ability: 'bots:write',
      tag,
      id: 'updateScenario',
      summary: 'Change a scenario',
      schema: { params: ScenarioParams, body: ScenarioUpdate, response: { 200: Message } },
    }),
    async (request) => {
      const { id: botId, scenario_id: scenarioId } = request.params;
      await scenarios.update(workspaceOf(request), { botId, scenarioId }, request.body);
      return { message: 'The scenario was saved.' };
    },
  );

  app.delete(
    `${path}/:scenario_id`,
    operation({
      ability: 'bots:write',
      tag,
      id: 'deleteScenario',
      summary: 'Delete a scenario',
      description: 'Its results in earlier evaluations stay.',
      schema: { params: ScenarioParams, response: { 200: Message } },
    }),
    async (request) => {
      const { id: botId, scenario_id: scenarioId } = request.params;
      await scenarios.delete(workspaceOf(request), { botId, scenarioId });
      return { message: 'The scenario was deleted.' };
    },
  );

  app.post(
    '/api/console/conversations/:id/scenario',
    operation({
      ability: 'session',
      role: 'operator',
      tag: 'Console',
      id: 'draftScenario',
      summary: 'Draft a scenario from a conversation',
      description:
        "The user's messages become its turns, and what the calls really returned stands in for them. Nothing is stored.",
      schema: { params: IdParams, response: { 200: ScenarioDraft } },
      idempotent: true,
    }),
    (request) =>
      idempotent<ScenarioDraft>(request, () => scenarios.draft(workspaceOf(request), request.params.id)),
  );
}

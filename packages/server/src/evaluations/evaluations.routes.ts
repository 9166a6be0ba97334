import { IdParams } from '@svc/contract/common';
import {
  Evaluation,
  EvaluationCreate,
  EvaluationDetail,
  EvaluationParams,
  EvaluationQuery,
  StartedEvaluation,
} from '@svc/contract/evaluations';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { operationsOf } from '../http/operation.ts';
import { invalid } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { scenarioRoutes } from './scenarios/scenarios.routes.ts';

const operation = operationsOf('Evaluations');
const path = '/api/v1/bots/:id/evaluations';

export function evaluationRoutes(
  app: HttpApp,
  {
    evaluations,
    publicUrl,
    idempotent,
    sendList,
  }: Pick<Services, 'evaluations' | 'idempotent' | 'publicUrl' | 'sendList'>,
): void {
  scenarioRoutes(app, { scenarios: evaluations.scenarios, idempotent, sendList });

  app.post(
    path,
    operation({
      ability: 'bots:write',
      id: 'createEvaluation',
      summary: "Run a bot's scenarios",
      description:
        'Answers immediately; the evaluation runs in the background, one scenario after the other, even if the service is restarted. Its turns are real turns of the bot, in conversations of the channel `evaluation`, except that no tool acts. They cost what any other turn costs. One at a time per bot.',
      schema: { params: IdParams, body: EvaluationCreate, response: { 202: StartedEvaluation } },
      errors: [
        'EVALUATION_IN_PROGRESS',
        'BOT_INACTIVE',
        'VERSION_UNUSABLE',
        'INSUFFICIENT_BALANCE',
        'NO_MODEL_CONFIGURED',
      ],
      idempotent: true,
    }),
    async (request, reply) => {
      // An empty body counts as no body; null does not.
      if (request.body === null) throw invalid('body', 'must be an object');
      const { workspaceId, keyId } = principalOf(request);
      const work = idempotent<StartedEvaluation>(request, (record) =>
        evaluations.start(workspaceId, keyId, request.params.id, request.body, record),
      );
      return reply.code(202).send(await work);
    },
  );

  app.get(
    path,
    operation({
      ability: 'bots:read',
      id: 'listEvaluations',
      summary: "List a bot's evaluations, newest first",
      description: 'The `Link` header leads to the next page while there is one.',
      schema: { params: IdParams, querystring: EvaluationQuery, response: { 200: Type.Array(Evaluation) } },
    }),
    async (request, reply) => {
      const { query, params } = request;
      const page = await evaluations.list(workspaceOf(request), params.id, query);
      const address = `${publicUrl}${path.replace(':id', params.id)}`;
      if (page.next) linkToNextPage(reply, address, { ...query, before: page.next });
      return page.evaluations;
    },
  );

  app.get(
    `${path}/:evaluation_id`,
    operation({
      ability: 'bots:read',
      id: 'getEvaluation',
      summary: 'Read an evaluation, case by case',
      description:
        'While it runs, the results so far. Each case is compared with the previous result of its scenario.',
      schema: { params: EvaluationParams, response: { 200: EvaluationDetail } },
    }),
    (request) => {
      const { id, evaluation_id: evaluationId } = request.params;
      return evaluations.get(workspaceOf(request), id, evaluationId);
    },
  );

  app.post(
    `${path}/:evaluation_id/stop`,
    operation({
      ability: 'bots:write',
      id: 'stopEvaluation',
      summary: 'Stop an evaluation',
      description:
        'Interrupts the running turn. Decided cases stay, the others are skipped. An evaluation that is over stays as it is.',
      schema: { params: EvaluationParams, response: { 200: StartedEvaluation } },
      idempotent: true,
    }),
    (request) => {
      const { id, evaluation_id: evaluationId } = request.params;
      return idempotent<StartedEvaluation>(request, () =>
        evaluations.stop(workspaceOf(request), id, evaluationId),
      );
    },
  );
}

import { IdParams } from '@svc/contract/common';
import {
  BotDraft,
  BotQuestions,
  BotSave,
  ConsoleBot,
  ConsoleModels,
  DraftVersion,
  SavedVersion,
  TestMessage,
} from '@svc/contract/console-bots';
import { StreamedEvent } from '@svc/contract/events';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../../http/access.ts';
import { lastEventIdHeader } from '../../http/conversation-streams.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import type { AcceptedTurn } from '../../turns/turns.service.ts';

const operation = operationsOf('Console');
const ability = 'session';

export interface ConsoleBotRouteDependencies
  extends ModelListDependencies,
    Pick<
      Services,
      | 'consoleBots'
      | 'drafts'
      | 'idempotent'
      | 'concurrencyLimits'
      | 'questions'
      | 'sendList'
      | 'sendStream'
      | 'turns'
    > {}

export function consoleBotRoutes(app: HttpApp, dependencies: ConsoleBotRouteDependencies): void {
  const { consoleBots, drafts, questions, turns, sendStream, sendList, concurrencyLimits, idempotent } =
    dependencies;

  app.get(
    '/api/console/bots',
    operation({
      ability,
      id: 'listConsoleBots',
      summary: 'List all bots, and how much they are used',
      schema: { response: { 200: Type.Array(ConsoleBot) } },
    }),
    (request, reply) => sendList(reply, consoleBots.list(workspaceOf(request))),
  );

  app.get(
    '/api/console/bots/:id',
    operation({
      ability,
      id: 'getConsoleBot',
      summary: 'Read a bot, and how much it is used',
      schema: { params: IdParams, response: { 200: ConsoleBot } },
    }),
    (request) => consoleBots.get(workspaceOf(request), request.params.id),
  );

  app.put(
    '/api/console/bots/:id',
    operation({
      ability,
      role: 'operator',
      id: 'saveBot',
      summary: 'Save the fields and tools of a bot as one version',
      description:
        'As `PUT /api/v1/bots/{id}` and `POST /api/v1/tools/assign` together: everything is saved or nothing, and nothing if somebody else has saved a newer version.',
      schema: { params: IdParams, body: BotSave, response: { 200: SavedVersion } },
      errors: ['BOT_CHANGED', 'PLAN_LIMIT_REACHED', 'METADATA_INVALID', 'UPSTREAM_FAILED'],
    }),
    (request) => {
      const author = principalOf(request);
      return drafts.publish(author.workspaceId, author, request.params.id, request.body);
    },
  );

  app.get(
    '/api/console/bots/:id/questions',
    operation({
      ability,
      id: 'suggestQuestions',
      summary: 'Suggest what to ask a bot, from its knowledge',
      schema: { params: IdParams, response: { 200: BotQuestions } },
    }),
    (request) => questions.suggest(workspaceOf(request), request.params.id),
  );

  app.post(
    '/api/console/bots/:id/drafts',
    operation({
      ability,
      role: 'operator',
      id: 'saveBotDraft',
      summary: 'Keep an unsaved configuration of a bot for tests',
      description:
        'Checked as if it were saved. The bot itself does not change. A draft that no test uses is deleted after a day.',
      schema: { params: IdParams, body: BotDraft, response: { 200: DraftVersion } },
      errors: ['METADATA_INVALID', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    (request) => {
      const author = principalOf(request);
      return idempotent<DraftVersion>(request, () =>
        drafts.save(author.workspaceId, author, request.params.id, request.body),
      );
    },
  );

  app.post(
    '/api/console/bots/:id/test',
    operation({
      ability,
      role: 'operator',
      id: 'testBot',
      summary: 'Send a message to a draft of a bot and receive the reply as server-sent events',
      description:
        'The events are those of `POST /api/v1/chat/send-stream`, in a conversation of the channel `test`. Calls that may change something ask for approval first.',
      produces: 'text/event-stream',
      schema: {
        headers: lastEventIdHeader,
        params: IdParams,
        body: TestMessage,
        response: { 200: StreamedEvent },
      },
      errors: ['BOT_INACTIVE', 'TURN_IN_PROGRESS', 'INSUFFICIENT_BALANCE', 'NO_MODEL_CONFIGURED'],
      idempotent: true,
    }),
    async (request, reply) => {
      concurrencyLimits.whileOpen('streams', request, reply);
      const { workspaceId, keyId: memberId } = principalOf(request);
      const tester = { workspaceId, memberId, botId: request.params.id };
      return sendStream<AcceptedTurn>(request, reply, {
        send: (given) => consoleBots.test(tester, request.body, given),
        startOfRepeat: (accepted, lastSeen) => turns.startOfRepeat(workspaceId, accepted, lastSeen),
      });
    },
  );

  app.get(
    '/api/console/models',
    operation({
      ability,
      id: 'listModels',
      summary: 'List the models that bots can use, with their prices',
      schema: { response: { 200: ConsoleModels } },
    }),
    () => listModels(dependencies),
  );
}

type ModelListDependencies = Pick<Services, 'models'>;

/** The models that bots can use, for people who choose one. */
function listModels({ models }: ModelListDependencies): ConsoleModels {
  return {
    default_model: models.defaultModelId(),
    is_built_in_only: models.configured().length === 0,
    models: models.known().map(({ id, provider }) => {
      const price = models.priceOf(id);
      return {
        id,
        provider,
        price: price ? { input: price.input, cached_input: price.cachedInput, output: price.output } : null,
      };
    }),
    variables: models.missing(),
  };
}

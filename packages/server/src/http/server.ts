import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { TriggeredRun } from '@svc/contract/agents';
import { Approval } from '@svc/contract/approvals';
import { BotVersion, BotVersionDetail } from '@svc/contract/bot-versions';
import { Bot } from '@svc/contract/bots';
import { ChatStats, LoggedEvent } from '@svc/contract/chat';
import { ErrorBody } from '@svc/contract/common';
import {
  Conversation,
  ConversationDetail,
  ConversationMessage,
  Trace,
  Truncated,
} from '@svc/contract/conversations';
import { DiscoveredBot, DiscoveredTools } from '@svc/contract/discover';
import { Evaluation, EvaluationDetail } from '@svc/contract/evaluations';
import { FailedJob } from '@svc/contract/jobs';
import { AccountKey, CreatedAccountKey } from '@svc/contract/keys';
import {
  FoundPassage,
  Knowledge,
  KnowledgeRefusal,
  KnowledgeStats,
  UploadOutcome,
} from '@svc/contract/knowledge';
import { PostCallHook } from '@svc/contract/post-call-hooks';
import { Scenario } from '@svc/contract/scenarios';
import { AgentSchedule } from '@svc/contract/schedules';
import { CatalogEntry, Tool, ToolAssignment, ToolTestResult } from '@svc/contract/tools';
import { UsageReport } from '@svc/contract/usage';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { AppError, notFound } from '../app-error.ts';
import type { Log } from '../log.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { guardText } from '../validation/text-guard.ts';
import type { Authenticate } from './access.ts';
import { buildAnswerWriters } from './answer-writers.ts';
import { handleError } from './errors.ts';
import { asReadForm, formType } from './form.ts';
import type { FrontDoor } from './front-door.ts';
import { refuseUselessKey } from './idempotency.ts';
import { createKnownPaths, type KnownPaths } from './known-paths.ts';
import { registerOpenApi } from './openapi.ts';
import { defaultBodyLimit } from './operation.ts';
import { requestIdOf } from './request-id.ts';
import { createRequestTurns } from './request-turns.ts';

export type HttpApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  Log,
  TypeBoxTypeProvider
>;

/** Resources that have a name of their own in the OpenAPI document. */
const namedSchemas = [
  ErrorBody,
  Bot,
  BotVersion,
  BotVersionDetail,
  PostCallHook,
  ConversationMessage,
  Conversation,
  ConversationDetail,
  Trace,
  Truncated,
  LoggedEvent,
  ChatStats,
  Tool,
  CatalogEntry,
  ToolAssignment,
  ToolTestResult,
  DiscoveredTools,
  DiscoveredBot,
  Approval,
  AgentSchedule,
  Scenario,
  Evaluation,
  EvaluationDetail,
  Knowledge,
  FoundPassage,
  KnowledgeStats,
  UploadOutcome,
  KnowledgeRefusal,
  TriggeredRun,
  UsageReport,
  AccountKey,
  CreatedAccountKey,
  FailedJob,
];

export interface HttpOptions {
  door: FrontDoor;
  log: Log;
  publicUrl: string;
  authenticate: Authenticate;
}

/** Fastify with everything that is the same for every route. Routes are added by the features. */
export async function createHttpServer({
  door,
  log,
  publicUrl,
  authenticate,
}: HttpOptions): Promise<HttpApp> {
  const app: HttpApp = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // One of its own for every request costs more than most of them have to log: who logs adds the id.
    childLoggerFactory: (logger) => logger,
    bodyLimit: defaultBodyLimit,
    exposeHeadRoutes: true,
    requestIdHeader: false,
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    schemaController: { compilersFactory: { buildSerializer: buildAnswerWriters } },
    frameworkErrors: (_error, request, reply) => void handleError(notFound(), request, reply),
    // The door does that, from its first moment.
    clientErrorHandler: () => undefined,
    serverFactory: (listener) => {
      door.open(listener);
      return door.server;
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  useStrictValidation(app);
  useTolerantJsonParser(app);
  for (const schema of namedSchemas) app.addSchema(schema);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler((request, reply) => handleError(notFound(), request, reply));

  const paths = createKnownPaths();
  app.addHook('onRoute', ({ method: given, url, config }) => {
    const methods = Array.isArray(given) ? given : [given];
    const name = `${methods.join(', ')} ${url}`;
    if (!config?.access) throw new Error(`${name} declares no ability.`);
    if (methods.includes('POST') && config.access.scheme !== 'none' && !config.idempotent) {
      throw new Error(
        `${name} does not say that it is idempotent: a repeat with an Idempotency-Key must be.`,
      );
    }
    for (const method of methods) paths.add(method, url);
  });
  app.decorateRequest('principal', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    // Before the body is read: what nobody takes is not looked at.
    if (isTaken(request, reply, paths)) await authenticate(request, reply);
    else return reply;
    refuseUselessKey(request);
  });
  app.addHook('preValidation', async (request) => {
    guardText(request.query);
    guardText(request.body);
  });
  app.decorateRequest('leaveTurn', () => undefined);
  app.addHook('preHandler', createRequestTurns());
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        // The route's pattern: a raw address can carry what is not for a log.
        path: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        workspace_id: request.principal?.workspaceId,
      },
      'request',
    );
  });
  await registerOpenApi(app, publicUrl);
  return app;
}

/**
 * Throws for a path that is not there, or that does not take the method; which of them there are is no secret, so nobody
 * needs a key to be told. False when the question was just that, and is answered.
 */
function isTaken(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): boolean {
  const [path = ''] = request.url.split('?', 1);
  // A path that is written out is no id, even if there is a route on which it would fit as one.
  const methods = request.is404 ? paths.methodsOf(path) : paths.exactly(path);
  if (!request.is404 && (!methods || methods.has(request.method))) return true;
  if (!methods) throw notFound();
  reply.header('allow', [...methods, 'OPTIONS'].join(', '));
  if (request.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED');
  void reply.code(204).send();
  return false;
}

/** Apps of one process share what they have compiled. */
const strict = createSchemaCompiler({ coerce: false, named: namedSchemas });
const coercing = createSchemaCompiler({ coerce: true, named: namedSchemas });

/** A query is text and may be read as a number; a body is taken as it is or refused. */
function useStrictValidation(app: HttpApp): void {
  app.setValidatorCompiler(({ schema, httpPart, contentType }) => {
    const read = contentType === formType ? asReadForm(schema) : schema;
    return (httpPart === 'querystring' ? coercing : strict)(read as object);
  });
}

/** Many clients send a JSON content type with nothing behind it: that is no body, not a broken one. */
function useTolerantJsonParser(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    void parse(request, body.toString(), done);
  });
}

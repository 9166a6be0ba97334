import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import { actAs } from '../lib/actor.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import type { Log } from '../lib/log.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { guardText } from '../validation/text-guard.ts';
import { type Access, actorOf, findCaller, unknownCaller } from './access.ts';
import { buildAnswerWriters } from './answer-writers.ts';
import type { Authenticator } from './authenticator.ts';
import { handleError } from './errors.ts';
import { asReadForm, formType } from './form.ts';
import type { FrontDoor } from './front-door.ts';
import type { HttpApp } from './http-app.ts';
import { refuseUselessKey } from './idempotency.ts';
import { createKnownPaths, type KnownMethods, type KnownPaths } from './known-paths.ts';
import { namedSchemas } from './named-schemas.ts';
import { registerOpenApi } from './openapi.ts';
import { defaultBodyLimit } from './operation.ts';
import { requestIdOf } from './request-id.ts';
import { createRequestQueue } from './request-queue.ts';

export interface HttpOptions {
  door: FrontDoor;
  log: Log;
  publicUrl: string;
  authenticator: Authenticator;
  /** Addresses and networks of proxies, whose X-Forwarded-For names the caller. */
  trustedProxies: string[];
}

/** A year, for this host only: others of its domain are not ours. */
const hsts = 'max-age=31536000';

/** Fastify with everything that all routes share. The features add their routes. */
export async function createHttpServer({
  door,
  log,
  publicUrl,
  authenticator,
  trustedProxies,
}: HttpOptions): Promise<HttpApp> {
  const isPublicHttps = publicUrl.startsWith('https:');
  const app: HttpApp = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than most requests log; code that logs adds the request id itself.
    childLoggerFactory: (logger) => logger,
    bodyLimit: defaultBodyLimit,
    exposeHeadRoutes: true,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Ids of people have up to 200 characters, each of one or two UTF-16 units.
    routerOptions: { maxParamLength: 400 },
    schemaController: { bucket: sharedSchemas, compilersFactory: { buildSerializer: buildAnswerWriters } },
    frameworkErrors: (_error, request, reply) => void handleError(notFound(), request, reply),
    // The front door handles these, even before the service is open.
    clientErrorHandler: () => undefined,
    serverFactory: (listener) => {
      door.open(listener);
      return door.server;
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  useStrictValidation(app);
  useTolerantJsonParser(app);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler((request, reply) => handleError(notFound(), request, reply));

  const paths = createKnownPaths();
  app.addHook('onRoute', ({ method: given, url, config }) => {
    const methods = Array.isArray(given) ? given : [given];
    const name = `${methods.join(', ')} ${url}`;
    if (!config?.access) throw new Error(`${name} declares no ability.`);
    if (methods.includes('POST') && actsInWorkspace(config.access) && !config.idempotent) {
      throw new Error(
        `${name} is not declared idempotent: every POST with a key must support Idempotency-Key.`,
      );
    }
    for (const method of methods) paths.add(method, url, config.access);
    if (config.webSocket) door.upgrades.allow(url);
  });
  for (const field of Object.keys(unknownCaller)) app.decorateRequest(field, null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    // By the header of a proxy too, but only of one that is trusted.
    if (isPublicHttps || request.protocol === 'https') reply.header('strict-transport-security', hsts);
    // Before the body is read: an unknown path is refused without reading it.
    const instead = methodsInstead(request, reply, paths);
    if (instead) {
      await authenticator.preflight(request, reply, instead);
      return reply.code(204).send();
    }
    await authenticator.authenticate(request, reply);
    refuseUselessKey(request);
  });
  app.addHook('preValidation', async (request) => {
    guardText(request.query);
    guardText(request.body);
  });
  app.decorateRequest('leaveQueue', () => undefined);
  app.addHook('preHandler', createRequestQueue());
  // After everything that can take long before the work begins: reading bodies, forms too, and waiting in a queue.
  app.addHook('preHandler', (request, reply) => authenticator.authenticateAgain(request, reply));
  app.addHook('preHandler', (request, _reply, done) => actAs(actorOf(request), done));
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        // The route's pattern: a raw URL can contain secrets.
        path: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        workspace_id: (findCaller(request) ?? request.machine)?.workspaceId,
      },
      'request',
    );
  });
  await registerOpenApi(app, publicUrl);
  return app;
}

/**
 * Throws for an unknown path or method. Paths are public, so this needs no key. Undefined if a route takes the request; what its
 * path takes if the request is OPTIONS, which no route takes.
 */
function methodsInstead(
  request: FastifyRequest,
  reply: FastifyReply,
  paths: KnownPaths,
): KnownMethods | undefined {
  const [path = ''] = request.url.split('?', 1);
  // A fixed path takes precedence over a route with a parameter that would also match it.
  const methods = request.is404 ? paths.methodsOf(path) : paths.exactly(path);
  if (!request.is404 && (!methods || methods.has(request.method))) return undefined;
  if (!methods) throw notFound();
  reply.header('allow', [...methods.keys(), 'OPTIONS'].join(', '));
  if (request.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED');
  return methods;
}

/**
 * Operations that act on behalf of a caller in a workspace, to which the records of repeats belong. A page that only has a widget
 * key gets nothing that a repeat would harm.
 */
function actsInWorkspace(access: Access): boolean {
  if (access.scheme === 'session') return access.role !== null;
  return !['none', 'own_page', 'widget_key', 'metrics_token'].includes(access.scheme);
}

const strict = createSchemaCompiler({ coerce: false });
const coercing = createSchemaCompiler({ coerce: true });

/** Fastify would copy the named schemas of an app for each of its routes. */
function sharedSchemas() {
  return {
    add(): never {
      throw new Error('Named schemas are listed in named-schemas.ts.');
    },
    getSchema: (name: string) => namedSchemas[name],
    getSchemas: () => namedSchemas,
  };
}

/** Values in a query are coerced, because they are all text; a body is taken as it is or refused. */
function useStrictValidation(app: HttpApp): void {
  app.setValidatorCompiler(({ schema, httpPart, contentType }) => {
    const read = contentType === formType ? asReadForm(schema) : schema;
    return (httpPart === 'querystring' ? coercing : strict)(read as object);
  });
}

/** Many clients send a JSON content type with an empty body, which counts as no body. */
function useTolerantJsonParser(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    void parse(request, body.toString(), done);
  });
}

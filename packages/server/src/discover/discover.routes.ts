import {
  BotDiscover,
  BotDiscoverEvent,
  type DiscoverEvent,
  DiscoveredBot,
  DiscoveredTools,
  ToolDiscover,
  ToolDiscoverEvent,
} from '@svc/contract/discover';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { EventError } from '@svc/contract/event-schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { workspaceOf } from '../http/access.ts';
import { arriveWithin } from '../http/arrive-within.ts';
import { toErrorBody } from '../http/errors.ts';
import type { EventStream, ServerSentEvent } from '../http/event-streams.ts';
import type { HttpApp } from '../http/http-app.ts';
import { jsonOrEvents, operation } from '../http/operation.ts';
import { AppError } from '../lib/app-error.ts';
import { isRetryable } from '../models/model-error.ts';
import type { Services } from '../services.ts';
import type { DiscoverJob, DiscoverService, LongText, ToolRequest } from './discover.service.ts';

/** Ten sources of 200,000 characters each can be twice as long in JSON. */
const botBodyLimit = 4 * 1024 * 1024;
/** A document of 32 MB, and what JSON adds to it. */
const toolBodyLimit = 40 * 1024 * 1024;
/** Longer bodies are read in a thread, a few at a time. */
const shortBody = 1024 * 1024;
/** Includes the wait for earlier bodies. */
const maxReadMs = 60_000;
/** Counted from when it has a place, because a slow upload keeps others from getting one. */
const maxArrivalMs = 120_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The documentation of a long body, which contains only a placeholder for it. */
    longText: LongText | null;
    /** Makes room for another long body; may be called repeatedly. */
    leaveLong: () => void;
  }
}

const errors: ErrorCode[] = ['INSUFFICIENT_BALANCE', 'NO_MODEL_CONFIGURED', 'UPSTREAM_FAILED'];
const streamed =
  'With `Accept: application/json` the answer is JSON. Otherwise it is a stream of server-sent events: `discover.progress` with `{ step, detail }`, then `discover.completed` with the content of the JSON answer, or `discover.failed` with `{ error }`. A draft that fails is 502 `UPSTREAM_FAILED`, with its cause in `details`. Nothing is stored except the answer, for a repeat with the same Idempotency-Key, which gets it at once in either format.';

export type DiscoverRouteDependencies = Pick<
  Services,
  'discover' | 'idempotent' | 'concurrencyLimits' | 'streams' | 'watchKey'
>;

export async function discoverRoutes(app: HttpApp, dependencies: DiscoverRouteDependencies): Promise<void> {
  const { discover } = dependencies;
  await withLongBodies(app, discover, (scope) => {
    toolRoute(scope, dependencies);
    importRoute(scope, dependencies);
  });

  app.post(
    '/api/v1/bots/discover',
    operation({
      ability: 'bots:write',
      tag: 'Bots',
      id: 'discoverBot',
      summary: 'Draft a bot from a description and sources',
      description: `\`draft\` can be sent to POST /api/v1/bots as it is. Whatever the model wrote that is not valid in a bot is left out, with a note.\n\n${streamed}`,
      schema: { body: BotDiscover, response: { 200: jsonOrEvents(DiscoveredBot, BotDiscoverEvent) } },
      errors,
      bodyLimit: botBodyLimit,
      idempotent: true,
    }),
    (request, reply) => {
      const workspaceId = workspaceOf(request);
      return answer(request, reply, dependencies, {
        admit: () => discover.admit(workspaceId, request.body),
        draft: (job) => discover.bot(workspaceId, request.body, job),
      });
    },
  );
}

function toolRoute(app: HttpApp, dependencies: DiscoverRouteDependencies): void {
  const { discover } = dependencies;

  app.post(
    '/api/v1/tools/discover',
    operation({
      ability: 'tools:write',
      tag: 'Tools',
      id: 'discoverTools',
      summary: "Draft tools from an API's documentation",
      description: `A document of OpenAPI 3 or Swagger 2.0 is read exactly; prose is read by the model. Each drafted tool can be created once its secrets are filled in; those that do more than read ask for approval. For a document with many operations, \`goal\` or \`operations\` selects which are drafted; without either they are listed.\n\n${streamed}`,
      schema: { body: ToolDiscover, response: { 200: jsonOrEvents(DiscoveredTools, ToolDiscoverEvent) } },
      errors: [...errors, 'REQUEST_TIMEOUT'],
      bodyLimit: toolBodyLimit,
      idempotent: true,
    }),
    (request, reply) => {
      const workspaceId = workspaceOf(request);
      const body: ToolRequest = request.body;
      return answer(request, reply, dependencies, {
        admit: () => discover.admit(workspaceId, body),
        draft: (job) => discover.tools(workspaceId, body, job),
      });
    },
  );
}

/** For members: an OpenAPI document is read exactly, so no model is needed. */
function importRoute(
  app: HttpApp,
  {
    discover,
    idempotent,
    concurrencyLimits,
  }: Pick<DiscoverRouteDependencies, 'discover' | 'idempotent' | 'concurrencyLimits'>,
): void {
  app.post(
    '/api/console/tools/import',
    operation({
      ability: 'session',
      role: 'operator',
      tag: 'Console',
      id: 'importTools',
      summary: 'Draft tools from an OpenAPI document, without a model',
      description:
        'Nothing is stored. A document with many operations is answered with a list of them: name those to draft in `operations`.',
      schema: { body: ToolDiscover, response: { 200: DiscoveredTools } },
      errors: ['UPSTREAM_FAILED', 'REQUEST_TIMEOUT'],
      bodyLimit: toolBodyLimit,
      idempotent: true,
    }),
    (request, reply) => {
      const body: ToolRequest = request.body;
      const job = { signal: goneSignal(reply), onProgress: () => undefined };
      return idempotent<DiscoveredTools>(request, () =>
        concurrencyLimits.during('drafts', request, () =>
          discover.importTools(workspaceOf(request), body, job),
        ),
      );
    },
  );
}

/** The routes added by `add` accept bodies of many megabytes, a few at a time, without blocking other requests. */
async function withLongBodies(app: HttpApp, discover: DiscoverService, add: (scope: HttpApp) => void) {
  await app.register(async (child) => {
    // Fastify does not keep our types for a child scope.
    const scope = child as unknown as HttpApp;
    const parse = scope.getDefaultJsonParser('error', 'error');
    const parseShort = (request: FastifyRequest, body: Buffer) =>
      new Promise((resolve, reject) => {
        void parse(request, body.toString(), (error, read) => (error ? reject(error) : resolve(read)));
      });
    scope.decorateRequest('longText', null);
    scope.decorateRequest('leaveLong', () => undefined);
    scope.addHook('preParsing', async (request, reply, payload) => {
      if (!isLong(request)) return payload;
      try {
        request.leaveLong = await discover.enterLong(workspaceOf(request), goneSignal(reply));
      } catch (error) {
        if (!reply.raw.closed) throw error;
        // The caller has disconnected.
        reply.hijack();
        return payload;
      }
      if (reply.raw.closed) request.leaveLong();
      else reply.raw.once('close', request.leaveLong);
      return arriveWithin(payload, maxArrivalMs);
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        if (body.length <= shortBody) {
          // Only a body of unknown length can be short here. Its draft may need a place itself, or wait minutes for a model.
          request.leaveLong();
          return body.length === 0 ? undefined : parseShort(request, body);
        }
        const signal = AbortSignal.timeout(maxReadMs);
        const { body: read, documentation } = await discover.readLongBody(workspaceOf(request), body, signal);
        if (documentation) request.longText = { ...documentation, done: request.leaveLong };
        return read;
      },
    );
    // After validation, and before the request is compared with earlier ones, for which the placeholder is not enough.
    scope.addHook('preHandler', async (request) => {
      const { body, longText } = request;
      if (longText) request.body = { ...(body as object), documentation: longText };
    });
    add(scope);
  });
}

/** A body without Content-Length might be long. */
function isLong({ headers }: FastifyRequest): boolean {
  return headers['content-length'] === undefined || Number(headers['content-length']) > shortBody;
}

interface Drafting<Draft> {
  /** Throws every error that can be found before any work is done. */
  admit(): Promise<void>;
  draft(job: DiscoverJob): Promise<Draft>;
}

/**
 * Drafts for as long as the caller waits, and answers with JSON or a stream. A stream starts with the first event, so an
 * invalid request still gets a plain error response. A repeat with the same Idempotency-Key gets the stored result in the
 * format it requests.
 */
async function answer<Draft extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, concurrencyLimits, idempotent, watchKey }: Omit<DiscoverRouteDependencies, 'discover'>,
  { admit, draft }: Drafting<Draft>,
): Promise<Draft | undefined> {
  const signal = goneSignal(reply);
  const isJson = wantsJson(request);
  let stream: EventStream<DiscoverEvent<Draft> & ServerSentEvent> | undefined;
  const openStream = () => {
    const opened = streams.open<DiscoverEvent<Draft> & ServerSentEvent>(reply, 'turn');
    // Ending the stream cancels the work, as when the caller disconnects.
    opened.onClose(watchKey(request, () => opened.end()));
    return opened;
  };
  const send = (event: DiscoverEvent<Draft>) => {
    stream ??= openStream();
    stream.send([{ ...event, sequence: null }]);
  };
  const onProgress: DiscoverJob['onProgress'] = (step, detail) =>
    isJson || send({ type: 'discover.progress', data: { step, detail } });
  try {
    const drafted = await idempotent<Draft>(request, async () => {
      await admit();
      return concurrencyLimits.during('drafts', request, () => {
        if (!isJson) concurrencyLimits.whileOpen('streams', request, reply);
        return draft({ signal, onProgress });
      });
    });
    if (isJson) return drafted;
    send({ type: 'discover.completed', data: drafted });
  } catch (error) {
    if (signal.aborted) reply.hijack();
    else if (!stream) throw error;
    else send({ type: 'discover.failed', data: { error: streamError(error, request) } });
  }
  stream?.end();
  return undefined;
}

/** Aborts when the caller disconnects, or immediately if that already happened, because `close` is not emitted again. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Media types are compared without case (RFC 9110). */
function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  const wanted = accept.toLowerCase();
  return wanted.includes('application/json') && !wanted.includes('text/event-stream');
}

function streamError(error: unknown, request: FastifyRequest): EventError {
  const known = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  if (errorCodes[known.code].status >= 500) {
    const { id: request_id, log } = request;
    log.error({ request_id, err: error, code: known.code }, 'The draft failed.');
  }
  return { ...toErrorBody(known, request.id), retryable: isRetryable(known) };
}

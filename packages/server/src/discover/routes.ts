import { BotDiscover, DiscoveredBot, DiscoveredTools, ToolDiscover } from '@svc/contract/discover';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import { type WatchKey, workspaceOf } from '../http/access.ts';
import { arriveWithin } from '../http/arrive-within.ts';
import { toErrorBody } from '../http/errors.ts';
import type { EventStream, EventStreams } from '../http/event-streams.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { Places } from '../http/places.ts';
import type { DiscoverJob, DiscoverService, LongText, ToolRequest } from './service.ts';

/** Ten sources of 200,000 characters each can be twice as long in JSON. */
const botBodyLimit = 4 * 1024 * 1024;
/** A document of 32 MB, and what JSON adds to it. */
const toolBodyLimit = 40 * 1024 * 1024;
/** What is longer is read in turn, and in a thread. */
const shortBody = 1024 * 1024;
/** With the wait for the bodies before it. */
const longestReadMs = 60_000;
/** From when there is a place for it: one that arrives more slowly would keep others from sending theirs. */
const longestArrivalMs = 120_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The documentation of a long body, which holds only a stand-in for it. */
    longText: LongText | null;
    /** Makes room for another long body; harmless when repeated. */
    leaveLong: () => void;
  }
}

const errors: ErrorCode[] = ['INSUFFICIENT_BALANCE', 'NO_MODEL_CONFIGURED', 'UPSTREAM_FAILED'];
const streamed =
  'With `Accept: application/json` the answer is JSON. Otherwise it is a stream of server-sent events: `discover.progress` with `{ step, detail }`, then `discover.completed` with what the JSON answer has, or `discover.failed` with `{ error }`. Whatever keeps a draft from being made is 502 `UPSTREAM_FAILED`, with its cause in `details`. Nothing is stored, but for the answer to a repeat: with the same Idempotency-Key that is told at once, in either form.';

export interface DiscoverRouteDependencies {
  discover: DiscoverService;
  streams: EventStreams;
  places: Places;
  idempotent: Idempotent;
  watchKey: WatchKey;
}

export async function discoverRoutes(app: HttpApp, dependencies: DiscoverRouteDependencies): Promise<void> {
  const { discover } = dependencies;
  await withLongBodies(app, discover, (scope) => toolRoute(scope, dependencies));

  app.post(
    '/api/v1/bots/discover',
    operation({
      ability: 'bots:write',
      tag: 'Bots',
      id: 'discoverBot',
      summary: 'Draft a bot from a description and sources',
      description: `\`draft\` can be sent to POST /api/v1/bots as it is; what else was drafted stands beside it. What the model wrote that no bot can have is left out, with a note.\n\n${streamed}`,
      schema: { body: BotDiscover, response: { 200: DiscoveredBot } },
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
      description: `An OpenAPI 3 document is read exactly; prose is read by the model. Each drafted tool can be created once its secrets are filled in; all that do not only read ask for approval. Of a document with many operations \`goal\` or \`operations\` chooses which are drafted; without either they are listed.\n\n${streamed}`,
      schema: { body: ToolDiscover, response: { 200: DiscoveredTools } },
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

/** The routes added by `add` take bodies of many megabytes: few at a time, and without anybody else noticing. */
async function withLongBodies(
  app: HttpApp,
  discover: DiscoverService,
  add: (scope: HttpApp) => void,
): Promise<void> {
  await app.register(async (child) => {
    // The same server, of which Fastify forgets our types.
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
        // Nobody is there to be told.
        reply.hijack();
        return payload;
      }
      if (reply.raw.closed) request.leaveLong();
      else reply.raw.once('close', request.leaveLong);
      return arriveWithin(payload, longestArrivalMs);
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        if (body.length <= shortBody) {
          // It only might have been long. The draft may want a place itself, or wait for a model for minutes.
          request.leaveLong();
          return body.length === 0 ? undefined : parseShort(request, body);
        }
        const signal = AbortSignal.timeout(longestReadMs);
        const { body: read, documentation } = await discover.readLongBody(workspaceOf(request), body, signal);
        if (documentation) request.longText = { ...documentation, done: request.leaveLong };
        return read;
      },
    );
    // Checked by now. What is compared or kept of the request is to tell one long text from another.
    scope.addHook('preHandler', async (request) => {
      const { body, longText } = request;
      if (longText) request.body = { ...(body as object), documentation: longText };
    });
    add(scope);
  });
}

/** Or of a length that nobody announced. */
function isLong({ headers }: FastifyRequest): boolean {
  return headers['content-length'] === undefined || Number(headers['content-length']) > shortBody;
}

interface Drafting<Draft> {
  /** Throws what can be said before any work is done. */
  admit(): Promise<void>;
  draft(job: DiscoverJob): Promise<Draft>;
}

/**
 * Does the work as long as somebody waits for it, in one answer or as a stream. A stream begins with the first thing that
 * there is to say: what is wrong with the request itself is found before, and is an error like any other. A repeat with the
 * same Idempotency-Key gets what came of it, in whichever form it asks for.
 */
async function answer<Draft extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, places, idempotent, watchKey }: Omit<DiscoverRouteDependencies, 'discover'>,
  { admit, draft }: Drafting<Draft>,
): Promise<Draft | undefined> {
  const signal = goneSignal(reply);
  const isJson = wantsJson(request);
  let stream: EventStream | undefined;
  const openStream = () => {
    const opened = streams.open(reply, 'turn');
    // With the stream ends the work, as when the caller has gone.
    opened.onClose(watchKey(request, () => opened.end()));
    return opened;
  };
  const send = (type: string, data: object) => {
    stream ??= openStream();
    stream.send([{ sequence: null, turnId: null, type, data }]);
  };
  const onProgress: DiscoverJob['onProgress'] = (step, detail) =>
    isJson || send('discover.progress', { step, detail });
  try {
    const drafted = await idempotent<Draft>(request, async () => {
      await admit();
      return places.during('drafts', request, () => {
        if (!isJson) places.whileOpen('streams', request, reply);
        return draft({ signal, onProgress });
      });
    });
    if (isJson) return drafted;
    send('discover.completed', drafted);
  } catch (error) {
    if (signal.aborted) reply.hijack();
    else if (!stream) throw error;
    else send('discover.failed', { error: streamError(error, request) });
  }
  stream?.end();
  return undefined;
}

/** Aborts when the caller has gone, which may be while the request still waited; then nothing closes any more. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

function streamError(error: unknown, request: FastifyRequest): object {
  const known = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const { status, retryable } = errorCodes[known.code];
  if (status >= 500) {
    const { id: request_id, log } = request;
    log.error({ request_id, err: error, code: known.code }, 'The draft failed.');
  }
  return { ...toErrorBody(known, request.id), retryable };
}

import { BotDiscover, DiscoveredBot, DiscoveredTools, ToolDiscover } from '@svc/contract/discover';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import { workspaceOf } from '../http/access.ts';
import { toErrorBody } from '../http/errors.ts';
import type { EventStreams } from '../http/event-streams.ts';
import { operation } from '../http/operation.ts';
import type { Places } from '../http/places.ts';
import type { HttpApp } from '../http/server.ts';
import type { DiscoverJob, DiscoverService } from './service.ts';

/** A text of a million characters can be twice as long in JSON, and some more in UTF-8. */
const bodyLimit = 4 * 1024 * 1024;

const errors: ErrorCode[] = [
  'INSUFFICIENT_BALANCE',
  'NO_MODEL_CONFIGURED',
  'UPSTREAM_FAILED',
  'MODEL_UNAVAILABLE',
  'MODEL_RATE_LIMITED',
  'MODEL_REJECTED',
];
const streamed =
  'With `Accept: application/json` the answer is JSON. Otherwise it is a stream of server-sent events: `discover.progress` with `{ step, detail }`, then `discover.completed` with what the JSON answer has, or `discover.failed` with `{ error }`. Nothing is stored.';

export interface DiscoverRouteDependencies {
  discover: DiscoverService;
  streams: EventStreams;
  places: Places;
}

export function discoverRoutes(app: HttpApp, { discover, streams, places }: DiscoverRouteDependencies): void {
  app.post(
    '/api/v1/tools/discover',
    operation({
      ability: 'tools:write',
      tag: 'Tools',
      id: 'discoverTools',
      summary: "Draft tools from an API's documentation",
      description: `An OpenAPI 3 document is read exactly; prose is read by the model. Each drafted tool can be created once its secrets are filled in.\n\n${streamed}`,
      schema: { body: ToolDiscover, response: { 200: DiscoveredTools } },
      errors,
      bodyLimit,
    }),
    async (request, reply) => {
      const workspaceId = workspaceOf(request);
      await discover.admit(workspaceId, request.body);
      return places.during('drafts', request, () =>
        answer(request, reply, { streams, places }, (job) => discover.tools(workspaceId, request.body, job)),
      );
    },
  );

  app.post(
    '/api/v1/bots/discover',
    operation({
      ability: 'bots:write',
      tag: 'Bots',
      id: 'discoverBot',
      summary: 'Draft a bot from a description and sources',
      description: streamed,
      schema: { body: BotDiscover, response: { 200: DiscoveredBot } },
      errors,
      bodyLimit,
    }),
    async (request, reply) => {
      const workspaceId = workspaceOf(request);
      await discover.admit(workspaceId, request.body);
      return places.during('drafts', request, () =>
        answer(request, reply, { streams, places }, (job) => discover.bot(workspaceId, request.body, job)),
      );
    },
  );
}

/** Does the work as long as somebody waits for it, in one answer or as a stream. */
async function answer<Draft>(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, places }: Pick<DiscoverRouteDependencies, 'streams' | 'places'>,
  work: (job: DiscoverJob) => Promise<Draft>,
): Promise<{ draft: Draft } | undefined> {
  const gone = new AbortController();
  // The caller may have gone while the request waited; then nothing closes any more.
  if (reply.raw.closed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  if (wantsJson(request)) {
    try {
      return { draft: await work({ signal: gone.signal, onProgress: () => undefined }) };
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      reply.hijack();
      return undefined;
    }
  }
  places.whileOpen('streams', request, reply);
  const stream = streams.open(reply, 'turn');
  const send = (type: string, data: object) => stream.send([{ sequence: null, turnId: null, type, data }]);
  try {
    const draft = await work({
      signal: gone.signal,
      onProgress: (step, detail) => send('discover.progress', { step, detail }),
    });
    send('discover.completed', { draft });
  } catch (error) {
    if (!gone.signal.aborted) send('discover.failed', { error: streamError(error, request) });
  }
  stream.end();
  return undefined;
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

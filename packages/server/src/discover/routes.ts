import { BotDiscover, DiscoveredBot, DiscoveredTools, ToolDiscover } from '@svc/contract/discover';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import { workspaceOf } from '../http/access.ts';
import { toErrorBody } from '../http/errors.ts';
import type { EventStream, EventStreams } from '../http/event-streams.ts';
import type { Idempotent } from '../http/idempotency.ts';
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
  'With `Accept: application/json` the answer is JSON. Otherwise it is a stream of server-sent events: `discover.progress` with `{ step, detail }`, then `discover.completed` with what the JSON answer has, or `discover.failed` with `{ error }`. Nothing is stored, but for the answer to a repeat: with the same Idempotency-Key that is told at once, in either form.';

export interface DiscoverRouteDependencies {
  discover: DiscoverService;
  streams: EventStreams;
  places: Places;
  idempotent: Idempotent;
}

export function discoverRoutes(app: HttpApp, dependencies: DiscoverRouteDependencies): void {
  const { discover } = dependencies;

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
      idempotent: true,
    }),
    (request, reply) => {
      const workspaceId = workspaceOf(request);
      return answer(request, reply, dependencies, {
        admit: () => discover.admit(workspaceId, request.body),
        draft: (job) => discover.tools(workspaceId, request.body, job),
      });
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

interface Drafting<Draft> {
  /** Throws what can be said before any work is done. */
  admit(): Promise<void>;
  draft(job: DiscoverJob): Promise<Draft>;
}

/**
 * Does the work as long as somebody waits for it, in one answer or as a stream. A repeat with the same Idempotency-Key gets
 * what came of it, in whichever form it asks for.
 */
async function answer<Draft>(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, places, idempotent }: Omit<DiscoverRouteDependencies, 'discover'>,
  { admit, draft }: Drafting<Draft>,
): Promise<{ draft: Draft } | undefined> {
  const gone = new AbortController();
  // The caller may have gone while the request waited; then nothing closes any more.
  if (reply.raw.closed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  let stream: EventStream | undefined;
  const begin = () => {
    if (stream || wantsJson(request)) return;
    places.whileOpen('streams', request, reply);
    stream = streams.open(reply, 'turn');
  };
  const tell = (type: string, data: object) => stream?.send([{ sequence: null, turnId: null, type, data }]);
  try {
    const drafted = await idempotent<{ draft: Draft }>(request, async () => {
      await admit();
      return places.during('drafts', request, async () => {
        begin();
        const onProgress: DiscoverJob['onProgress'] = (step, detail) =>
          tell('discover.progress', { step, detail });
        return { draft: await draft({ signal: gone.signal, onProgress }) };
      });
    });
    begin();
    if (!stream) return drafted;
    tell('discover.completed', drafted);
  } catch (error) {
    if (!stream && !gone.signal.aborted) throw error;
    if (!stream) reply.hijack();
    else if (!gone.signal.aborted) tell('discover.failed', { error: streamError(error, request) });
  }
  stream?.end();
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

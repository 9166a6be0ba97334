import {
  type BotDiscover,
  type DiscoveredBot,
  type DiscoveredTools,
  maxDocumentBytes,
  type ToolDiscover,
} from '@svc/contract/discover';
import { AppError, invalid } from '../lib/app-error.ts';
import type { Model } from '../models/model.ts';
import type { Services } from '../services.ts';
import { createDraftCheck } from './check-draft.ts';
import { asDraftFailure, asFetchFailure, draftFailed } from './discover-failure.ts';
import { draftBot } from './draft-bot.ts';
import { draftFromProse } from './draft-tools-from-prose.ts';
import { maxReadCharacters } from './fit-text.ts';
import type { DiscoverJob } from './job.ts';
import type { LongText } from './long-body.ts';
import { createLongBodyReader } from './long-body-reader.ts';
import { createLongDocuments } from './long-documents.ts';
import type { DocumentSource } from './openapi/draft-document.ts';
import { createOpenApiReader, type ReadDocument } from './openapi/openapi-reader.ts';
import {
  fetchBytes,
  maxTextBytes,
  readSource,
  type Source,
  type SourceDependencies,
} from './read-discover-source.ts';

export type { DiscoverJob } from './job.ts';
export type { LongText } from './long-body.ts';

export interface DiscoverDependencies extends SourceDependencies, Pick<Services, 'registry'> {
  bots: Pick<Services['bots'], 'checkNew'>;
  models: Pick<Services['models'], 'ofBot'>;
  spender: Pick<Services['spender'], 'payingModel' | 'check'>;
  /** The worker that reads OpenAPI documents. */
  openApiWorker: URL;
  timeLimitMs?: number;
}

/** A parsed body, in which very long documentation is not a string. */
export type ToolRequest = Omit<ToolDiscover, 'documentation'> & { documentation?: string | LongText };

export type DiscoverService = ReturnType<typeof createDiscoverService>;

/** Drafts tools and bots. Nothing is stored: the caller creates what it likes with the usual operations. */
export function createDiscoverService(dependencies: DiscoverDependencies) {
  const { models, registry, bots, spender, timeLimitMs = 180_000 } = dependencies;
  const check = createDraftCheck(registry);
  const readOpenApi = createOpenApiReader(dependencies.openApiWorker);
  const longDocuments = createLongDocuments();

  /** The model that drafts. Throws NO_MODEL_CONFIGURED while there is only the built-in one, which cannot. */
  function draftingModel(): Model {
    const model = models.ofBot({});
    if (model.capabilities.instructions) return model;
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: `${model.id} cannot draft anything: configure a model provider.`,
    });
  }

  return {
    /** Waits for room for one more long document of the workspace; resolves with a function that frees it. */
    enterLong: longDocuments.enter,
    /** Reads a body of many megabytes without blocking other requests. */
    readLongBody: createLongBodyReader(),

    /** Throws every error that can be found before any work is done: an invalid body, no model, or no money. */
    async admit(workspaceId: string, body: ToolRequest | BotDiscover): Promise<void> {
      if (!('description' in body)) requireOne(body);
      const messages = [{ role: 'user' as const, content: textOf(body) }];
      await spender.check(draftingModel(), { messages }, workspaceId);
    },

    tools: (workspaceId: string, body: ToolRequest, job: DiscoverJob): Promise<DiscoveredTools> =>
      withinLimit(job, timeLimitMs, async (limited) => {
        const model = spender.payingModel(draftingModel(), workspaceId);
        const { goal, operations } = body;
        const { document, url } = await readDocument(workspaceId, body, limited);
        if ('drafted' in document) return document.drafted;
        const { prose } = document;
        if (prose.text.trim() === '') throw nothingIn(body);
        const { configurationSchema } = registry.get('http_request');
        const source = { ...prose, url, goal, operations };
        return draftFromProse(source, { model, check, configurationSchema }, limited);
      }),

    /** Drafts from an OpenAPI document, which needs no model. Throws VALIDATION_FAILED for any other text. */
    importTools: (workspaceId: string, body: ToolRequest, job: DiscoverJob): Promise<DiscoveredTools> =>
      withinLimit(job, timeLimitMs, async (limited) => {
        requireOne(body);
        const { document } = await readDocument(workspaceId, body, limited);
        if ('drafted' in document) return document.drafted;
        const field = body.url === undefined ? 'documentation' : 'url';
        throw invalid(field, 'is not a document of OpenAPI 3 or Swagger 2.0, in JSON or YAML.');
      }),

    bot: (workspaceId: string, body: BotDiscover, job: DiscoverJob): Promise<DiscoveredBot> =>
      withinLimit(job, timeLimitMs, async (limited) => {
        const { description, sources = [] } = body;
        const model = spender.payingModel(draftingModel(), workspaceId);
        const read = sources.map((source, index) => readOrTake(source, `sources.${index}`, limited));
        return draftBot(description, await Promise.all(read), { model, registry, check, bots }, limited);
      }),
  };

  async function readDocument(
    workspaceId: string,
    { url, documentation, goal, operations }: ToolRequest,
    job: DiscoverJob,
  ): Promise<{ document: ReadDocument; url: string | undefined }> {
    const read = (source: Pick<DocumentSource, 'bytes' | 'charset' | 'url' | 'field'>) =>
      readOpenApi(workspaceId, { ...source, goal, operations }, job);
    if (url === undefined) {
      const long = typeof documentation === 'object' ? documentation : undefined;
      const bytes = long?.bytes() ?? Buffer.from(typeof documentation === 'string' ? documentation : '');
      const sent = { bytes, charset: 'utf-8', url: undefined, field: 'documentation' } as const;
      return { document: await read(sent).finally(() => long?.done()), url: undefined };
    }
    job.onProgress('reading', `Reading ${url}`);
    const leave = await longDocuments.enter(workspaceId, job.signal);
    try {
      const wanted = { url, field: 'url', maxBytes: maxDocumentBytes, signal: job.signal };
      const fetched = await fetchBytes(dependencies, wanted);
      return { document: await read({ ...fetched, field: 'url' }), url: fetched.url };
    } catch (error) {
      throw asFetchFailure(error);
    } finally {
      leave();
    }
  }

  async function readOrTake(source: string, field: string, job: DiscoverJob): Promise<Source> {
    const url = source.trim();
    if (!/^https?:\/\/\S+$/i.test(url)) return { text: source, url: undefined };
    job.onProgress('reading', `Reading ${url}`);
    return readSource(dependencies, { url, field, maxBytes: maxTextBytes, signal: job.signal });
  }
}

function requireOne({ url, documentation, goal, operations }: ToolRequest): void {
  if (url !== undefined && documentation !== undefined) {
    throw invalid('documentation', 'cannot be sent together with url.');
  }
  if (url === undefined && documentation === undefined) throw invalid('documentation', 'or url is required.');
  if (goal !== undefined && operations !== undefined) {
    throw invalid('operations', 'cannot be sent together with goal.');
  }
  if (typeof documentation === 'string' && documentation.trim() === '') throw nothingIn({ documentation });
}

function nothingIn({ url }: ToolRequest): AppError {
  if (url === undefined) return invalid('documentation', 'has no text.');
  return draftFailed('url has no text.', [{ path: 'url', message: 'has no text.' }]);
}

/** As much of the request as would be sent to a model. */
function textOf(body: ToolRequest | BotDiscover): string {
  const parts: (string | LongText)[] = Object.values(body).flat();
  const texts = parts.map((part) =>
    typeof part === 'string'
      ? part.slice(0, maxReadCharacters)
      : new TextDecoder().decode(part.bytes().subarray(0, maxReadCharacters)),
  );
  return texts.join('\n');
}

async function withinLimit<Draft>(
  job: DiscoverJob,
  timeLimitMs: number,
  work: (job: DiscoverJob) => Promise<Draft>,
): Promise<Draft> {
  const deadline = AbortSignal.timeout(timeLimitMs);
  const signal = AbortSignal.any([job.signal, deadline]);
  try {
    return await work({ ...job, signal });
  } catch (error) {
    if (!deadline.aborted || job.signal.aborted) throw asDraftFailure(error);
    const message = `The draft was not ready within ${timeLimitMs / 1000} seconds.`;
    throw draftFailed(message, [{ message }], error);
  }
}

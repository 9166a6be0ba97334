import type { BotDiscover, BotDraft, ToolDiscover, ToolDraft } from '@svc/contract/discover';
import { AppError, invalid } from '../app-error.ts';
import type { Spender } from '../billing/service.ts';
import type { Model } from '../models/model.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { ToolRegistry } from '../tools/service.ts';
import { createDraftCheck } from './check-draft.ts';
import { draftBot } from './draft-bot.ts';
import { draftFromProse } from './draft-tools-from-prose.ts';
import type { DiscoverJob } from './job.ts';
import { createOpenApiReader } from './openapi/openapi-reader.ts';
import { readSource, type Source, type SourceDependencies } from './read-source.ts';

export type { DiscoverJob } from './job.ts';

export interface DiscoverDependencies extends SourceDependencies {
  models: Pick<ModelRegistry, 'resolve' | 'defaultModelId'>;
  registry: ToolRegistry;
  spender: Pick<Spender, 'payingModel' | 'check'>;
  /** The program of the thread that reads OpenAPI documents. */
  openApiWorker: URL;
  timeLimitMs?: number;
}

export type DiscoverService = ReturnType<typeof createDiscoverService>;

/** Drafts tools and bots. Nothing is stored: what is good is created like any other. */
export function createDiscoverService(dependencies: DiscoverDependencies) {
  const { models, registry, spender, timeLimitMs = 180_000 } = dependencies;
  const check = createDraftCheck(registry);
  const readOpenApi = createOpenApiReader(dependencies.openApiWorker);

  /** The model that drafts. Throws NO_MODEL_CONFIGURED while there is only the built-in one, which cannot. */
  function draftingModel(): Model {
    const model = models.resolve(models.defaultModelId());
    if (!model.id.startsWith('builtin/')) return model;
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: `${model.id} cannot draft anything: configure a model provider.`,
    });
  }

  return {
    /** Throws what can be said before any work is done: that there is no model, or no money to ask it with. */
    async admit(workspaceId: string, body: ToolDiscover | BotDiscover): Promise<void> {
      const messages = [{ role: 'user' as const, content: Object.values(body).flat().join('\n') }];
      await spender.check(draftingModel(), { messages }, workspaceId);
    },

    tools: (workspaceId: string, body: ToolDiscover, job: DiscoverJob): Promise<ToolDraft> =>
      withinLimit(job, timeLimitMs, async (limited) => {
        const model = spender.payingModel(draftingModel(), workspaceId);
        const field = body.url === undefined ? 'documentation' : 'url';
        const source = await readDocumentation(body, limited);
        const draft = await readOpenApi(workspaceId, { ...source, field, goal: body.goal }, limited);
        if (draft) return draft;
        if (source.text.trim() === '') throw invalid(field, 'has no text.');
        const { configurationSchema } = registry.get('http_request');
        return draftFromProse({ ...source, goal: body.goal }, { model, check, configurationSchema }, limited);
      }),

    bot: (workspaceId: string, body: BotDiscover, job: DiscoverJob): Promise<BotDraft> =>
      withinLimit(job, timeLimitMs, async (limited) => {
        const { description, sources = [] } = body;
        const model = spender.payingModel(draftingModel(), workspaceId);
        const read = sources.map((source, index) => readOrTake(source, `sources.${index}`, limited));
        return draftBot(description, await Promise.all(read), { model, registry, check }, limited);
      }),
  };

  async function readDocumentation({ url, documentation }: ToolDiscover, job: DiscoverJob): Promise<Source> {
    if (url !== undefined && documentation !== undefined) {
      throw invalid('documentation', 'cannot be sent together with url.');
    }
    if (documentation !== undefined) return { text: documentation, url: undefined };
    if (url === undefined) throw invalid('documentation', 'or url is required.');
    job.onProgress('reading', `Reading ${url}`);
    return readSource(dependencies, url, 'url', job.signal);
  }

  async function readOrTake(source: string, field: string, job: DiscoverJob): Promise<Source> {
    const url = source.trim();
    if (!/^https?:\/\/\S+$/i.test(url)) return { text: source, url: undefined };
    job.onProgress('reading', `Reading ${url}`);
    return readSource(dependencies, url, field, job.signal);
  }
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
    if (!deadline.aborted || job.signal.aborted) throw error;
    throw new AppError('UPSTREAM_FAILED', {
      message: `The draft was not ready within ${timeLimitMs / 1000} seconds.`,
      cause: error,
    });
  }
}

import type { BotTool, BotVersion, BotVersionDetail, Restored } from '@svc/contract/bot-versions';
import type { BotCreate, BotSettings, BotUpdate, QualityFlag } from '@svc/contract/bots';
import type {
  BotDraft,
  BotQuestions,
  BotSave,
  ConsoleBot,
  ConsoleModels,
  DraftVersion,
  SavedVersion,
  TestMessage,
} from '@svc/contract/console-bots';
import type { BotDiscover } from '@svc/contract/discover';
import type { PostCallHook, PostCallHookCreate, PostCallHookUpdate } from '@svc/contract/post-call-hooks';
import type { ToolAssignment } from '@svc/contract/tools';
import { queryOptions } from '@tanstack/react-query';
import { type Api, type CallOptions, keys, pagesQuery, readQuery } from './client.ts';
import { randomId } from './random-id.ts';

export const botsQuery = (api: Api) =>
  readQuery<ConsoleBot[]>(api, keys.list(api, 'bot'), '/api/console/bots');

export const botQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.one(api, 'bot', botId),
    queryFn: ({ signal }) => readBot(api, botId, signal),
  });

const readBot = (api: Api, botId: string, signal?: AbortSignal) =>
  api.get<ConsoleBot>(`/api/console/bots/${botId}`, {}, signal);

export const botToolsQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.one(api, 'bot', botId, 'tools'),
    queryFn: ({ signal }) => readBotTools(api, botId, signal),
  });

export const readBotTools = (api: Api, botId: string, signal?: AbortSignal) =>
  api.get<ToolAssignment[]>('/api/v1/tools/bot', { bot_id: botId }, signal);

export const botQuestionsQuery = (api: Api, botId: string) =>
  readQuery<BotQuestions>(
    api,
    keys.one(api, 'bot', botId, 'questions'),
    `/api/console/bots/${botId}/questions`,
  );

export const modelsQuery = (api: Api) =>
  readQuery<ConsoleModels>(api, keys.all(api, 'model'), '/api/console/models');

export const createBot = (api: Api, body: BotCreate) => api.post<{ id: string }>('/api/v1/bots', body);

/** Keeps the quality flags, which a save turns off unless it sends them. */
export async function updateBot(api: Api, botId: string, body: BotUpdate): Promise<void> {
  const { settings } = await readBot(api, botId);
  await api.put(`/api/v1/bots/${botId}`, { ...flagsOf(JSON.parse(settings) as BotSettings), ...body });
}

function flagsOf(settings: BotSettings): Pick<Required<BotSettings>, QualityFlag> {
  const {
    enable_agent_tracing = false,
    enable_confidence_scoring = false,
    enable_response_validation = false,
  } = settings;
  return { enable_agent_tracing, enable_confidence_scoring, enable_response_validation };
}

/** Fields and tools together, unless somebody else has saved since. */
export const saveBot = (api: Api, botId: string, body: BotSave) =>
  api.put<SavedVersion>(`/api/console/bots/${botId}`, body);

export const deactivateBot = (api: Api, botId: string) => api.delete(`/api/v1/bots/${botId}`);

export const assignTools = (api: Api, botId: string, assignments: readonly BotTool[]) =>
  api.post('/api/v1/tools/assign', { bot_id: botId, assignments });

/** Has a model draft a bot. The answer is a stream of events. */
export const discoverBot = (api: Api, body: BotDiscover, signal: AbortSignal) =>
  api.send('POST', '/api/v1/bots/discover', { ...streamed(body), signal });

/** Sends a message to a draft. The answer is a stream of events. */
export const sendTestMessage = (api: Api, botId: string, body: TestMessage) =>
  api.send('POST', `/api/console/bots/${botId}/test`, streamed(body));

function streamed(body: unknown): CallOptions {
  return { body, accept: 'text/event-stream', idempotencyKey: randomId() };
}

export const saveDraft = (api: Api, botId: string, draft: BotDraft) =>
  api.post<DraftVersion>(`/api/console/bots/${botId}/drafts`, draft);

export const botVersionsQuery = (api: Api, botId: string) =>
  pagesQuery<BotVersion>(api, keys.one(api, 'bot', botId, 'versions'), `/api/v1/bots/${botId}/versions`, {
    limit: 50,
  });

/** A version never changes. */
export const botVersionQuery = (api: Api, botId: string, number: number) =>
  readQuery<BotVersionDetail>(
    api,
    [api.workspaceId, 'version', botId, number],
    `/api/v1/bots/${botId}/versions/${number}`,
  );

export const restoreVersion = (api: Api, botId: string, number: number) =>
  api.post<Restored>(`/api/v1/bots/${botId}/versions/${number}/restore`);

const pathOf = (botId: string) => `/api/v1/bots/${botId}/post-call-hooks`;

/** In the order in which they run. */
export const hooksQuery = (api: Api, botId: string) =>
  readQuery<PostCallHook[]>(api, keys.one(api, 'bot', botId, 'hooks'), pathOf(botId));

export const addHook = (api: Api, botId: string, body: PostCallHookCreate) =>
  api.post<{ id: string }>(pathOf(botId), body);

export const updateHook = (api: Api, botId: string, id: string, body: PostCallHookUpdate) =>
  api.put(`${pathOf(botId)}/${id}`, body);

export const deleteHook = (api: Api, botId: string, id: string) => api.delete(`${pathOf(botId)}/${id}`);

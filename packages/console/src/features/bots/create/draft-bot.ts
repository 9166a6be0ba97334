import { ApiError } from '@svc/client/api-error';
import { readServerEvents, type ServerEvent } from '@svc/client/server-events';
import type { DiscoveredBot, DraftedTool } from '@svc/contract/discover';
import { assignTools, createBot, discoverBot, readBotTools } from '../../../api/bots.ts';
import type { Api } from '../../../api/client.ts';
import { addSource } from '../../../api/knowledge.ts';
import { messageOf } from '../../../kit/placeholders.tsx';
import { newAssignment } from '../editor/bot-form.ts';
import { rememberQuestions } from '../first-questions.ts';

export interface DraftStep {
  text: string;
  /** What was wrong with a draft, which the model is asked to repair. */
  isFault?: boolean;
}

interface DraftOptions {
  onStep: (step: DraftStep) => void;
  signal: AbortSignal;
}

/** Has a model draft a bot, creates it with the tools that need no settings, and returns its id. */
export async function draftBot(
  api: Api,
  { description, source }: { description: string; source: string },
  { onStep, signal }: DraftOptions,
): Promise<string> {
  const text = source.trim();
  const body = { description: description.trim(), ...(text && { sources: [text] }) };
  const response = await discoverBot(api, body, signal);
  const { draft, suggested_tools: tools, test_questions: questions, notes } = await drafted(response, onStep);
  signal.throwIfAborted();
  onStep({ text: `Creating ${draft.name}` });
  const { id } = await createBot(api, draft);
  const unread = text ? await addFirstSource(api, id, sourceOf(text, draft.name)) : [];
  const { free, others } = split(tools);
  const unassigned = free.length > 0 ? await assignable(api, id, free) : [];
  const connect = [...others, ...unassigned].map(({ name }) => `Connect ${name} under Tools.`);
  rememberQuestions(id, { questions, notes: [...unread, ...notes, ...connect] });
  return id;
}

async function drafted(response: Response, onStep: DraftOptions['onStep']): Promise<DiscoveredBot> {
  for await (const events of readServerEvents(response.body)) {
    for (const event of events) {
      const result = resultOf(event, onStep);
      if (result) return result;
    }
  }
  throw new ApiError({
    status: 0,
    code: 'OFFLINE',
    message: 'The connection was lost before the draft was ready.',
  });
}

function resultOf({ type, data }: ServerEvent, onStep: DraftOptions['onStep']): DiscoveredBot | undefined {
  if (type === 'discover.progress') {
    const { step, detail } = data as { step: string; detail: string };
    onStep({ text: detail, isFault: step === 'repairing' });
  }
  if (type === 'discover.failed') {
    const { error } = data as { error: { code: string; message: string; request_id?: string } };
    throw new ApiError({ status: 502, ...error, requestId: error.request_id });
  }
  return type === 'discover.completed' ? (data as DiscoveredBot) : undefined;
}

/** Those that can be assigned by their type alone, and those that somebody has to connect. */
function split(tools: readonly DraftedTool[]): { free: DraftedTool[]; others: DraftedTool[] } {
  const isFree = ({ configuration }: DraftedTool) => Object.keys(configuration).length === 0;
  return { free: tools.filter(isFree), others: tools.filter((tool) => !isFree(tool)) };
}

/** Assigns the tools, and returns those that could not be: a draft is not worth failing for them. */
async function assignable(api: Api, botId: string, tools: DraftedTool[]): Promise<DraftedTool[]> {
  const assignments = tools.map(({ tool_type: type }) => newAssignment(type, null));
  try {
    // It has the default tools already, which an assignment would replace.
    const defaults = await readBotTools(api, botId);
    await assignTools(api, botId, [...defaults, ...assignments]);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return tools;
    throw error;
  }
}

/** Adds what the bot should read. If that fails, returns a note: the bot is there already. */
async function addFirstSource(
  api: Api,
  botId: string,
  source: ReturnType<typeof sourceOf>,
): Promise<string[]> {
  try {
    await addSource(api, { ...source, bot_id: botId });
    return [];
  } catch (error) {
    if (error instanceof ApiError) return [`Add what it should read under Knowledge. ${messageOf(error)}`];
    throw error;
  }
}

function sourceOf(text: string, title: string) {
  return /^https?:\/\/\S+$/i.test(text)
    ? { content_type: 'url' as const, url: text }
    : { content_type: 'text' as const, title, content: text };
}

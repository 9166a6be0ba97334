import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { assignTools, createBot, readBotTools } from '../../api/bots.ts';
import type { Api } from '../../api/client.ts';
import { type BotForm, fieldsOf, formOf } from './editor/bot-form.ts';

export interface Copy {
  id: string;
  /** Why it has no tools, such as one that is switched off. The rest of it was copied. */
  toolsError: ApiError | undefined;
}

/** Creates a copy of a saved bot, with its tools. Its schedule is left out: two agents would do the same work. */
export async function duplicateBot(
  api: Api,
  bot: Pick<ConsoleBot, 'name' | 'metadata'>,
  saved: BotForm,
): Promise<Copy> {
  const fields = { ...fieldsOf(saved, saved), schedule: null, metadata: bot.metadata };
  const { id } = await createBot(api, { ...fields, name: copyName(bot.name) });
  try {
    // Even without tools: a new bot has the default ones.
    await assignTools(api, id, saved.tools);
    return { id, toolsError: undefined };
  } catch (error) {
    if (error instanceof ApiError) return { id, toolsError: error };
    throw error;
  }
}

const maxNameLength = 200;

function copyName(name: string): string {
  return `${name.slice(0, maxNameLength - ' (copy)'.length)} (copy)`;
}

/** The same, for a bot whose tools have not been read. */
export async function copyOf(api: Api, bot: ConsoleBot): Promise<Copy> {
  const tools = await readBotTools(api, bot.id);
  return duplicateBot(api, bot, formOf(bot, tools));
}

import type { BotQuestions } from '@svc/contract/console-bots';
import type { Services } from '../../services.ts';
import { outlineStore } from './knowledge-questions.store.ts';
import { suggestQuestions } from './suggest-questions.ts';

export type QuestionService = ReturnType<typeof createQuestionService>;

/** Suggests what to ask a bot, from what it knows. Needs no model. */
export function createQuestionService({ database, bots }: Pick<Services, 'bots' | 'database'>) {
  return {
    async suggest(workspaceId: string, botId: string): Promise<BotQuestions> {
      await bots.getRow(workspaceId, botId);
      const outline = await outlineStore.listOutline(database.within(workspaceId), workspaceId, botId);
      return { questions: suggestQuestions(outline), is_ready: outline.length > 0 };
    },
  };
}

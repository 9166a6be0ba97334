import type { BotQuestions } from '@svc/contract/console-bots';
import type { BotService } from '../../bots/bots.service.ts';
import type { Database } from '../../database/database.ts';
import { outlineStore } from './knowledge-questions.store.ts';
import { suggestQuestions } from './suggest-questions.ts';

export interface QuestionDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow'>;
}

export type QuestionService = ReturnType<typeof createQuestionService>;

/** Suggests what to ask a bot, from what it knows. Needs no model. */
export function createQuestionService({ database, bots }: QuestionDependencies) {
  return {
    async suggest(workspaceId: string, botId: string): Promise<BotQuestions> {
      await bots.getRow(workspaceId, botId);
      const outline = await outlineStore.listOutline(database.within(workspaceId), workspaceId, botId);
      return { questions: suggestQuestions(outline), is_ready: outline.length > 0 };
    },
  };
}

import type { BotVersionService } from '../bots/versions/bot-versions.service.ts';
import type { Database } from '../database/database.ts';
import { notFound } from '../lib/app-error.ts';
import type { ToolService } from '../tools/tools.service.ts';
import type { TurnTools } from '../turns/turns.service.ts';
import { evaluationStore } from './evaluations.store.ts';
import { standingIn } from './stand-ins.ts';

export interface StandInToolDependencies {
  database: Database;
  tools: Pick<ToolService, 'functionsOfTools'>;
  versions: Pick<BotVersionService, 'get'>;
}

/**
 * What a turn of an evaluation may call. Its case is found by its conversation, as they were written together: a node that takes
 * the turn over finds the same stand-ins.
 */
export function createStandInTools({
  database,
  tools,
  versions,
}: StandInToolDependencies): Pick<TurnTools, 'functionsOf'> {
  return {
    async functionsOf({ workspaceId, botId, conversationId }, signal) {
      const found = await evaluationStore.findCase(database.within(workspaceId), workspaceId, conversationId);
      if (!found) throw notFound();
      const { configuration } = await versions.get(workspaceId, botId, found.version);
      const functions = await tools.functionsOfTools(workspaceId, configuration.tools, signal);
      return functions.map((bound) => standingIn(bound, found.scenario.stand_ins));
    },
  };
}

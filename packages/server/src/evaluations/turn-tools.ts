import { notFound } from '../app-error.ts';
import type { BotVersionService } from '../bots/versions/service.ts';
import type { Database } from '../database/database.ts';
import type { ToolService } from '../tools/service.ts';
import type { TurnTools } from '../turns/service.ts';
import { standingIn } from './stand-ins.ts';
import { evaluationStore } from './store.ts';

export interface TurnToolDependencies {
  database: Database;
  tools: Pick<ToolService, 'functionsOf' | 'functionsOfTools'>;
  versions: Pick<BotVersionService, 'get'>;
}

/**
 * What the model of any turn can call. That a turn is part of an evaluation is written on it: whoever takes it over finds the
 * same stand-ins, and no way to the tools themselves.
 */
export function createTurnTools({ database, tools, versions }: TurnToolDependencies): TurnTools {
  return {
    async functionsOf({ workspaceId, botId, options }, signal, listing) {
      const { evaluation_case_id: caseId, bot_version: number } = options;
      if (caseId === undefined) return tools.functionsOf(workspaceId, botId, signal, listing);
      const row = await evaluationStore.findCase(database.query, workspaceId, caseId);
      if (!row || number === undefined) throw notFound();
      const { configuration } = await versions.get(workspaceId, botId, number);
      const functions = await tools.functionsOfTools(workspaceId, configuration.tools, signal);
      return functions.map((bound) => standingIn(bound, row.scenario.stand_ins));
    },
  };
}

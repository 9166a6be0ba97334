import type { BotVersionService } from '../../bots/versions/bot-versions.service.ts';
import { notFound } from '../../lib/app-error.ts';
import type { BoundFunction, ToolService } from '../../tools/tools.service.ts';
import type { TurnTools } from '../../turns/turns.service.ts';

export interface DraftToolDependencies {
  tools: Pick<ToolService, 'functionsOfTools'>;
  versions: Pick<BotVersionService, 'get'>;
}

/** What a test of a draft may call: the draft's tools. Calls that may change something ask first, however the tool is set. */
export function createDraftTools({ tools, versions }: DraftToolDependencies): Pick<TurnTools, 'functionsOf'> {
  return {
    async functionsOf({ workspaceId, botId, options }, signal, listing) {
      if (options.bot_version === undefined) throw notFound();
      const { configuration } = await versions.get(workspaceId, botId, options.bot_version);
      const functions = await tools.functionsOfTools(workspaceId, configuration.tools, signal, listing);
      return functions.map(askingFirst);
    },
  };
}

function askingFirst(bound: BoundFunction): BoundFunction {
  return bound.hasEffects ? { ...bound, approval: 'always', approvalOf: () => 'always' } : bound;
}

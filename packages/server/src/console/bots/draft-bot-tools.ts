import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import type { BoundFunction } from '../../tools/tools.service.ts';
import type { TurnTools } from '../../turns/turns.service.ts';

export type DraftToolDependencies = Pick<Services, 'tools' | 'versions'>;

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
  if (!bound.hasEffects) return bound;
  // What is allowed for the bot at work is asked about here, and nothing is allowed for it from here.
  const { toolGrantable: _none, ...asking } = bound;
  return { ...asking, approval: 'always', approvalOf: () => 'always' };
}

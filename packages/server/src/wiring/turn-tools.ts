import type { Channel } from '@svc/contract/channels';
import { createStandInTools, type StandInToolDependencies } from '../evaluations/stand-in-tools.ts';
import type { ToolService } from '../tools/service.ts';
import type { TurnTools } from '../turns/service.ts';

export interface TurnToolDependencies extends StandInToolDependencies {
  tools: Pick<ToolService, 'functionsOf' | 'functionsOfTools'>;
}

/** What a turn may call: the tools of its bot, except in channels that put something else in their place. */
export function createTurnTools(dependencies: TurnToolDependencies): TurnTools {
  const { tools } = dependencies;
  const byChannel: Partial<Record<Channel, TurnTools>> = { evaluation: createStandInTools(dependencies) };
  return {
    functionsOf(lease, signal, listing) {
      const own = byChannel[lease.channel];
      if (own) return own.functionsOf(lease, signal, listing);
      return tools.functionsOf(lease.workspaceId, lease.botId, signal, listing);
    },
  };
}

import type { BotTool } from '@svc/contract/bot-versions';
import type { BotSettings } from '@svc/contract/bots';
import type { BotService } from '../../bots/service.ts';
import type { BoundFunction, ToolService } from '../../tools/service.ts';
import type { TurnTools } from '../../turns/service.ts';

export interface CallToolDependencies {
  bots: Pick<BotService, 'getRow'>;
  tools: Pick<ToolService, 'functionsOf' | 'functionsOfTools'>;
}

/** What a bot can call during a call: its tools, and hanging up and transferring if its settings allow them. */
export function createCallTools({ bots, tools }: CallToolDependencies): Pick<TurnTools, 'functionsOf'> {
  return {
    async functionsOf({ workspaceId, botId }, signal, listing) {
      const { settings, toolCount } = await bots.getRow(workspaceId, botId);
      const own = toolCount > 0 ? await tools.functionsOf(workspaceId, botId, signal, listing) : [];
      const allowed = allowedTools(settings);
      const usable = own.filter(({ toolType }) => !isCallTool(toolType) || allowed.includes(toolType));
      const missing = allowed.filter((type) => !usable.some(({ toolType }) => toolType === type));
      const added = await tools.functionsOfTools(workspaceId, missing.map(assignmentOf), signal);
      return [...usable, ...added.filter(isNewAmong(usable))];
    },
  };
}

const callTools = ['end_call', 'transfer_call'];
const isCallTool = (toolType: string) => callTools.includes(toolType);

function allowedTools(settings: BotSettings): string[] {
  return [
    ...(settings.end_call_enabled ? ['end_call'] : []),
    ...(settings.call_transfer_enabled && settings.call_transfer_number ? ['transfer_call'] : []),
  ];
}

function assignmentOf(type: string): BotTool {
  return {
    tool_type: type,
    tool_configuration_id: null,
    tool_instructions: '',
    speak_during_execution: false,
    speak_after_execution: false,
    tool_error_handling_mode: 'passthrough',
  };
}

/** A tool of the bot may already have the name. */
function isNewAmong(functions: readonly BoundFunction[]): (added: BoundFunction) => boolean {
  return ({ name }) => !functions.some((known) => known.name === name);
}

import type { BotTool } from '@svc/contract/bot-versions';
import type { BotSettings } from '@svc/contract/bots';
import { AppError } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import type { BoundFunction, ToolResult, ToolRun } from '../../tools/tools.service.ts';
import type { TurnTools } from '../../turns/turns.service.ts';
import { hasPlaceholder, type Keypad } from './keypad.ts';

export interface CallToolDependencies extends Pick<Services, 'bots' | 'tools'> {
  calls: { keypadOf(workspaceId: string, callId: string): Keypad | undefined };
}

/** What a bot can call during a call: its tools, and hanging up and transferring if its settings allow them. */
export function createCallTools({
  bots,
  tools,
  calls,
}: CallToolDependencies): Pick<TurnTools, 'functionsOf'> {
  return {
    async functionsOf({ workspaceId, botId }, signal, listing) {
      const { settings, toolCount } = await bots.getRow(workspaceId, botId);
      const own = toolCount > 0 ? await tools.functionsOf(workspaceId, botId, signal, listing) : [];
      const allowed = allowedTools(settings);
      const usable = own.filter(({ toolType }) => !isCallTool(toolType) || allowed.includes(toolType));
      const missing = allowed.filter((type) => !usable.some(({ toolType }) => toolType === type));
      const added = await tools.functionsOfTools(workspaceId, missing.map(assignmentOf), signal);
      return [...usable, ...added.filter(isNewAmong(usable))].map(withKeypad);
    },
  };

  function withKeypad(bound: BoundFunction): BoundFunction {
    if (!outgoing.includes(bound.toolType)) return bound;
    const { takesKeypadInput: isAllowed } = bound;
    return {
      ...bound,
      // A caller would hear nothing while another person is asked, so nobody is.
      async run(given, { ask: _nobody, ...run }) {
        const keypad = calls.keypadOf(run.workspaceId, run.conversationId ?? '');
        if (!keypad) return isAllowed && hasPlaceholder(given) ? missingDigits : bound.run(given, run);
        const filled = isAllowed ? keypad.fillIn(given) : given;
        return filled ? runHidden(bound, filled, run, keypad) : missingDigits;
      },
    };
  }
}

/** Their servers may know what the caller entered, from this call or another way. */
const outgoing = ['http_request', 'mcp'];
const noDigits = 'What the caller entered is not there any more: ask them to enter it again.';
const missingDigits: ToolResult = { status: 'error', content: noDigits, result: { error: noDigits } };

/** Only the request contains the digits: results and error messages are masked. */
async function runHidden(
  bound: BoundFunction,
  filled: Record<string, unknown>,
  run: ToolRun,
  keypad: Keypad,
): Promise<ToolResult> {
  const onProgress = (text: string) => run.onProgress(keypad.hide(text));
  try {
    return keypad.hide(await bound.run(filled, { ...run, onProgress }));
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, { message: keypad.hide(error.message) });
    throw error;
  }
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

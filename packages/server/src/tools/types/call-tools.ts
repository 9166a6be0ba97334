import { compileCheck } from '../../validation/checker.ts';
import { emptyConfiguration, onlyFunction } from '../define-function.ts';
import { failed, succeeded } from '../tool-result.ts';
import type { ToolType } from '../tool-type.ts';

/** Phone calls in progress. */
export interface CallDesk {
  /** Ends the call after the speech has been played; false when the conversation is not a call in progress. */
  end(workspaceId: string, conversationId: string): Promise<boolean>;
  /** Transfers the caller to the number in the bot's settings: a model never chooses one. */
  transfer(workspaceId: string, conversationId: string, about?: string): Promise<TransferOutcome | 'no call'>;
}

/** `refused`: why it was not even tried, in a sentence. */
export type TransferOutcome = 'transferred' | 'no number' | 'failed' | { refused: string };

const parameters = { type: 'object', properties: {}, additionalProperties: false };
const check = compileCheck<object>(parameters);
const transferParameters = {
  type: 'object',
  properties: {
    about: {
      type: 'string',
      maxLength: 300,
      description:
        'What the caller wants, in one sentence. The person may be told it before they are connected.',
    },
  },
  additionalProperties: false,
};
const checkTransfer = compileCheck<{ about?: string }>(transferParameters);
const noCall = failed('This conversation is not a phone call.');

const transferOutcomes = {
  transferred: succeeded('The caller is being transferred.', { transferred: true }),
  'no call': noCall,
  'no number': failed('This bot has no number to transfer calls to.'),
  failed: failed('The call could not be transferred.'),
};

export function createEndCallTool(desk: CallDesk): ToolType {
  return {
    ...callTool,
    type: 'end_call',
    name: 'End call',
    description: 'Hangs up, when the conversation is over. Say goodbye first. Works in phone calls only.',
    functions: onlyFunction({
      parameters,
      check,
      async run(_nothing, { workspaceId, conversationId }) {
        const ended = conversationId !== undefined && (await desk.end(workspaceId, conversationId));
        return ended ? succeeded('The call ends now.', { ended }) : noCall;
      },
    }),
  };
}

export function createTransferCallTool(desk: CallDesk): ToolType {
  return {
    ...callTool,
    type: 'transfer_call',
    name: 'Transfer call',
    description: "Passes the caller on to a person, at the bot's transfer number. Works in phone calls only.",
    functions: onlyFunction({
      parameters: transferParameters,
      check: checkTransfer,
      async run({ about }, { workspaceId, conversationId }) {
        if (conversationId === undefined) return noCall;
        const outcome = await desk.transfer(workspaceId, conversationId, about);
        return typeof outcome === 'string' ? transferOutcomes[outcome] : failed(outcome.refused);
      },
    }),
  };
}

const callTool = {
  configurationSchema: emptyConfiguration,
  readOnly: false,
  asks: () => ({}),
  needsNoConfiguration: true,
  presets: [],
} as const satisfies Partial<ToolType>;

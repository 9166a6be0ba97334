import { compileCheck } from '../../validation/checker.ts';
import { emptyConfiguration, onlyFunction } from '../define-function.ts';
import { failed, succeeded } from '../tool-result.ts';
import type { ToolType } from '../tool-type.ts';

/** The queue of conversations that need a person. */
export interface HandoffDesk {
  /** Adds the conversation to the queue; one that is already in it keeps its place and takes the new reason. */
  flag(workspaceId: string, conversationId: string, reason: string): Promise<void>;
}

const parameters = {
  type: 'object',
  properties: {
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'What the person who takes over should know, in one or two sentences.',
    },
  },
  required: ['reason'],
  additionalProperties: false,
};
const check = compileCheck<{ reason: string }>(parameters);

export function createHandoff(desk: HandoffDesk): ToolType {
  return {
    type: 'handoff',
    name: 'Handoff',
    description: 'Asks a person to take over: when the user wants one, or when you cannot help.',
    configurationSchema: emptyConfiguration,
    readOnly: false,
    asks: () => ({}),
    needsNoConfiguration: true,
    presets: [],
    functions: onlyFunction({
      parameters,
      check,
      async run({ reason }, { workspaceId, conversationId }) {
        if (!conversationId) return failed('There is no conversation here that a person could take over.');
        await desk.flag(workspaceId, conversationId, reason);
        return succeeded('A person was asked to take over. Tell the user so.', { reason });
      },
    }),
  };
}

import type { StoredToolCall } from '../../conversations/conversations.service.ts';
import { newId } from '../../lib/new-id.ts';
import type { ToolCallPart } from '../../models/model.ts';
import { asksFirst, type BoundFunction } from '../../tools/tools.service.ts';
import { checkJson } from '../../validation/json-schema/check-json.ts';
import { storableJson } from '../../validation/storable.ts';
import type { OpenToolCall } from './tool-call.ts';

/** A call as stored with its message, and as it waits to run. */
export interface ProposedToolCall {
  stored: StoredToolCall;
  open: OpenToolCall;
}

export interface Proposing {
  messageId: string;
  workspaceId: string;
  functions: readonly BoundFunction[];
  signal: AbortSignal;
}

/** A call by the model. One that cannot run is stored too, and answered with its fault. */
export async function proposeToolCall(
  part: ToolCallPart,
  position: number,
  proposing: Proposing,
): Promise<ProposedToolCall> {
  const { messageId, functions } = proposing;
  // Providers' ids need not be unique.
  const id = newId();
  const bound = functions.find(({ name }) => name === part.name);
  const fault = await faultOf(part, bound, proposing);
  const given = storableJson(part.arguments);
  return {
    stored: {
      id,
      name: part.name,
      arguments: given,
      executed_arguments: null,
      ...(part.providerState && { provider_state: part.providerState }),
    },
    open: {
      id,
      messageId,
      position,
      name: part.name,
      toolType: bound?.toolType ?? 'unknown',
      toolId: bound?.toolId ?? null,
      arguments: given,
      needsApproval: fault === null && bound !== undefined && asksFirst(bound, given),
      repeatable: bound?.repeatable ?? false,
      inOrder: bound?.inOrder ?? false,
      hasEffects: fault === null && bound?.hasEffects === true,
      fault,
      status: 'proposed',
      approval: undefined,
    },
  };
}

async function faultOf(
  part: ToolCallPart,
  bound: BoundFunction | undefined,
  { functions, workspaceId, signal }: Proposing,
): Promise<string | null> {
  if (!bound) {
    const names = functions.map(({ name }) => name).join(', ');
    return `There is no tool named ${part.name}. There are: ${names || 'none'}.`;
  }
  if (part.invalid !== undefined) return 'The arguments are not a JSON object.';
  const faults = await checkJson({ ...bound.parameters }, part.arguments, workspaceId, signal);
  if (faults.length === 0) return null;
  return `The arguments do not fit: ${faults.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ')}`;
}

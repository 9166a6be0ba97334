import type { LiveRequest } from '@svc/contract/live';
import { isUuid } from '../../validation/is-uuid.ts';

/** What a console sent; undefined if it is not a request of the protocol. */
export function readRequest(data: Buffer, isBinary: boolean): LiveRequest | undefined {
  const value = isBinary ? undefined : parse(data.toString());
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, conversation_id: id, after } = value as Record<string, unknown>;
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  // Ids are compared as text.
  const conversationId = id.toLowerCase();
  if (type === 'unfollow') return { type, conversation_id: conversationId };
  if (type !== 'follow') return undefined;
  if (after === undefined) return { type, conversation_id: conversationId };
  if (!Number.isSafeInteger(after) || (after as number) < 0) return undefined;
  return { type, conversation_id: conversationId, after: after as number };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

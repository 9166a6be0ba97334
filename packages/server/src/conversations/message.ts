import type { Attachment } from '@svc/contract/attachments';
import type { Citation, ConversationMessage, Rating } from '@svc/contract/conversations';
import type { ProviderState } from '../models/model.ts';

/** A tool call as it is stored, with state that only its provider is sent. */
export interface StoredToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  executed_arguments: Record<string, unknown> | null;
  provider_state?: ProviderState;
}

/** Stored with the place in its document, which readers are not shown. */
export interface StoredCitation extends Citation {
  heading_path?: string[];
}

/** A message that has no sequence number yet. */
export interface NewMessage {
  id: string;
  role: 'user' | 'assistant' | 'tool' | 'operator';
  content: string;
  toolCalls: StoredToolCall[];
  toolCallId: string | null;
  citations: StoredCitation[];
  interrupted: boolean;
  /** It answers a call that did not succeed. */
  failed: boolean;
  /** The person who wrote it, if that is an operator who gave a name. */
  authorName: string | null;
  /** The files that a user has sent with it; null if there are none. */
  attachments: Attachment[] | null;
  createdAt: Date;
}

export function textMessage(
  id: string,
  role: NewMessage['role'],
  content: string,
  createdAt: Date,
): NewMessage {
  return {
    id,
    role,
    content,
    toolCalls: [],
    toolCallId: null,
    citations: [],
    interrupted: false,
    failed: false,
    authorName: null,
    attachments: null,
    createdAt,
  };
}

/** What the user thinks of a stored message. */
export interface Rated {
  rating: Rating | null;
  ratingComment: string | null;
}

/** Nobody has rated what is new. */
export function toWireMessage(message: NewMessage & Partial<Rated>): ConversationMessage {
  return {
    id: message.id,
    role: message.role,
    content: message.content,
    tool_calls: message.toolCalls.map(({ provider_state: _private, ...call }) => call),
    tool_call_id: message.toolCallId,
    // Passages are stored with the result of a search for later replies to cite; none of them is cited yet.
    citations: message.role === 'tool' ? [] : message.citations,
    interrupted: message.interrupted,
    author_name: message.authorName,
    ...(message.attachments && { attachments: message.attachments }),
    rating: message.rating ?? null,
    ...(message.ratingComment && { rating_comment: message.ratingComment }),
    created_at: message.createdAt.toISOString(),
  };
}

import type { Attachment } from '@svc/contract/attachments';
import type { Citation } from '@svc/contract/conversations';

/**
 * What the pieces of a chat show. The conversation page and the test chat fill these from events; see
 * `conversations/to-chat.ts`.
 */
export interface ChatCall {
  id: string;
  name: string;
  /** `proposed`: not begun. `waiting`: a person must approve it first. */
  status: 'proposed' | 'waiting' | 'started' | 'ok' | 'error' | 'denied' | 'unknown';
  /** What the model proposed. */
  input: Record<string, unknown>;
  /** What really ran, if a person changed it. */
  edited: Record<string, unknown> | null;
  /** Undefined until there is one. */
  output: unknown;
  durationMs: number | null;
  /** What a running tool last reported. */
  progress: string | null;
}

export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant' | 'operator';
  text: string;
  /** It is still being written. */
  isStreaming: boolean;
  isInterrupted: boolean;
  authorName: string | null;
  citations: readonly Citation[];
  /** The files that a user has sent with it. */
  attachments: readonly Attachment[];
  calls: readonly ChatCall[];
  createdAt: string;
  /** A reply that users did not get, for operators. */
  withheld: { text: string | null; score: number | null } | null;
}

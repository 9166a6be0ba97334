import type { ServerEvent } from '@svc/client/server-events';
import type { ConsoleConversation } from '@svc/contract/console-conversation';

/** A conversation as it was read, and everything that has happened since. */
export interface ConversationState {
  conversation: ConsoleConversation;
  /** The number of the last event that is part of it. */
  lastEventId: number;
  /** The reply that is being written. */
  preview: { messageId: string; text: string } | null;
  /** What running tools last reported, by call. */
  progress: Readonly<Record<string, string>>;
  /** Results that came with events, by call. */
  results: Readonly<Record<string, unknown>>;
  /** Something is missing here that only the service knows: it must be read again. */
  isIncomplete: boolean;
  /** Numbered events since it was read, to be applied again when it is read again. */
  recent: readonly ServerEvent[];
}

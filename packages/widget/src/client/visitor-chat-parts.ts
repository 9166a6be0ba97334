import type { ConversationState } from '@svc/client/conversation';
import type { EndUserConversationDetail } from '@svc/contract/end-users';
import type { Trouble } from './chat-state.ts';
import type { Page } from './page.ts';
import type { SavedState } from './saved-state.ts';
import type { Sleeper } from './sleep.ts';
import type { CallWidgetApi } from './widget-api.ts';

/** The conversation as the service has it, as far as its events have arrived. */
export type VisitorConversation = ConversationState<
  Pick<EndUserConversationDetail, 'status' | 'needs_human' | 'taken_over' | 'messages'>
>;

/** What the outbox and the connection of a chat share with it. */
export interface VisitorChatParts extends Sleeper {
  page: Page;
  saved: SavedState;
  call: CallWidgetApi;
  /** Ends everything that is done for this visitor. */
  signal: AbortSignal;
  /** Undefined if there is none, or if it is not known yet. */
  openConversation: string | undefined;
  state: VisitorConversation;
  /** Whether the conversation has been read, so that its events can be followed. */
  isLoaded: boolean;
  change(changes: Partial<VisitorConversation>): void;
  /** The service answers a message, whose events may not have arrived. */
  noteRunning(): void;
  /** To be called after every other change. */
  noteChange(): void;
  /** Begins a new conversation. */
  leave(): void;
  /** Shows why a request failed, unless it may succeed soon. Returns whether repeating it is of no use. */
  explain(error: unknown, failures: number, isSending: boolean): Promise<boolean>;
  setTrouble(trouble: Trouble | null): void;
  /** Reads the conversation again if it has to be, and follows it. */
  reopenStream(): void;
}

import type { Attachment } from '@svc/contract/attachments';
import type { Rating } from '@svc/contract/conversations';
import type { Identity } from '../protocol.ts';
import type { MessageExtras, Saved } from './saved-state.ts';
import type { CallWidgetApi } from './widget-api.ts';

export interface ChatCitation {
  title: string;
  sourceUrl: string | null;
  quote: string;
}

export interface ChatMessage {
  id: string;
  /** Its id in the service; undefined until it is stored. */
  storedId?: string;
  /** What the visitor thinks of it. */
  rating?: Rating | null;
  /** `note`: about a call. */
  from: 'visitor' | 'bot' | 'person' | 'note';
  text: string;
  /** `streaming`: more of its text follows. `failed`: it did not arrive, and can be sent again. */
  state: 'sending' | 'failed' | 'streaming' | 'done' | 'interrupted';
  citations: ChatCitation[];
  /** The files that were sent with it. */
  attachments?: readonly Attachment[] | undefined;
  /** The person's name, if the site's team wrote it and gave one. */
  author: string | null;
  createdAt: string;
}

/**
 * What the conversation is busy with. `typing`: an answer is on its way. `looking`: it takes longer than usual. `checking`: somebody
 * of the team has to agree first.
 */
export type Activity = 'none' | 'typing' | 'looking' | 'checking';

export type Trouble =
  /** The visitor's text is kept until then. */
  | { kind: 'rate_limited'; retryAt: number }
  /** The workspace cannot pay for answers, or this visitor has used up its share. */
  | { kind: 'resting' }
  /** The answer failed; `retry()` asks again. */
  | { kind: 'failed' }
  /** The service cannot be reached. */
  | { kind: 'outage' }
  /** The site has to vouch for its user again, as it does when the page is loaded. */
  | { kind: 'expired' }
  /** This site or visitor may not use the chat. */
  | { kind: 'blocked' };

export interface ChatState {
  /** `loading`: the history is being read. */
  phase: 'empty' | 'loading' | 'ready';
  isOnline: boolean;
  messages: readonly ChatMessage[];
  activity: Activity;
  /** The person of the team who is writing a message; `name` is null if they give none. */
  typist: { name: string | null } | null;
  /** A person has been asked, and the bot does not answer. */
  isHandedOff: boolean;
  /** A person has taken over instead, whom nobody had asked. */
  isTakenOver: boolean;
  /** The message after which the bot answers again, if that was noticed. */
  returnedAfter: string | null;
  trouble: Trouble | null;
  /** Messages of the bot or a person that arrived while the panel was closed. */
  unread: number;
  /** Undefined if it has not begun. */
  conversationId: string | undefined;
  /** The visitor may have had conversations. */
  isKnown: boolean;
  /** Nothing was said yet, and the visitor was not asked who they are. */
  canAsk: boolean;
  /** Changes with the branches of the conversation; 0 while there are none. */
  branched: number;
  /** Another one when another visitor or another conversation begins. */
  thread: object;
}

/** The conversation, for whatever shows it. States are never changed in place. */
export interface ChatStore {
  get(): ChatState;
  /** Called after every change, at most once per frame. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
  send(text: string, extras?: MessageExtras): void;
  /** Sends the message that failed again, with the same Idempotency-Key, or has it answered again. */
  retry(): void;
  stop(): void;
  /** The visitor is writing a message. */
  noteTyping(): void;
  /** Takes along what was not sent yet. */
  startNewConversation(): void;
  /** Shows an earlier conversation. What was not sent yet stays where it was written. */
  show(id: string): void;
  /** What the visitor says of themselves, which may be nothing. They are not asked again. */
  giveDetails(details: Saved['given']): void;
  identify(user: Identity | null): void;
  /** Whether the panel is open: otherwise a stream is held open only while a message may arrive. */
  setOpen(isOpen: boolean): void;
  close(): void;
  /** Makes a request of this visitor. */
  call: CallWidgetApi;
}

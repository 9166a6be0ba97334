import type { Identity } from '../protocol.ts';
import type { CallWidgetApi } from './widget-api.ts';

export interface ChatCitation {
  title: string;
  sourceUrl: string | null;
  quote: string;
}

export interface ChatMessage {
  id: string;
  /** `note`: about a call. */
  from: 'visitor' | 'bot' | 'person' | 'note';
  text: string;
  /** `streaming`: more of its text follows. `failed`: it did not arrive, and can be sent again. */
  state: 'sending' | 'failed' | 'streaming' | 'done' | 'interrupted';
  citations: ChatCitation[];
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
  /** A person has been asked, and the bot does not answer. */
  isHandedOff: boolean;
  trouble: Trouble | null;
  /** Messages of the bot or a person that arrived while the panel was closed. */
  unread: number;
  /** Another one when another visitor or another conversation begins. */
  thread: object;
}

/** The conversation, for whatever shows it. States are never changed in place. */
export interface ChatStore {
  get(): ChatState;
  /** Called after every change, at most once per frame. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
  send(text: string): void;
  /** Sends the message that failed again, with the same Idempotency-Key. */
  retry(): void;
  stop(): void;
  startNewConversation(): void;
  identify(user: Identity | null): void;
  /** Whether the panel is open: only then is a stream held open. */
  setOpen(isOpen: boolean): void;
  close(): void;
  /** Makes a request of this visitor. */
  call: CallWidgetApi;
}

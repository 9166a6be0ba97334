import type { ChatStore } from '../client/chat-state.ts';
import type { Texts } from '../panel/texts.ts';

/** What the panel gives the script of the earlier conversations, which arrives when a visitor asks for them. */
export interface HistoryContext {
  root: ShadowRoot;
  /** The panel's own, with the translations of those of the list. */
  texts: Texts;
  store: Pick<ChatStore, 'call' | 'get' | 'show'>;
  /** The visitor goes back to the conversation that is shown. */
  onBack(): void;
}

export interface VisitorHistory {
  /** Puts the list into an element in place of the messages and the field to write in. */
  mount(place: HTMLElement | null): void;
  back(): void;
}

export type CreateHistory = (context: HistoryContext) => VisitorHistory;

import type { ChatMessage, ChatStore } from '../client/chat-state.ts';
import type { Texts } from '../panel/texts.ts';

/** What the panel gives the script of the actions, which arrives with the first answer. */
export interface ActionsContext {
  root: ShadowRoot;
  /** The panel's own, with the translations of those of the actions. */
  texts: Texts;
  store: Pick<ChatStore, 'call' | 'get' | 'send'>;
  /** The panel has to be drawn again. */
  redraw(): void;
}

/** Draws the actions into the messages that the panel has drawn. `canBranch`: messages can be answered again and edited now. */
export type ShowActions = (messages: readonly ChatMessage[], canBranch: boolean) => void;

export type CreateActions = (context: ActionsContext) => ShowActions;

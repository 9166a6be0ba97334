import type { ChatMessage, ChatState, ChatStore } from '../client/chat-state.ts';
import type { Texts } from '../panel/texts.ts';

/** What the panel gives the script of calls, which arrives when the visitor presses the microphone. */
export interface VoiceContext {
  root: ShadowRoot;
  service: string;
  key: string;
  /** The panel's own, with the translations of those of calls. */
  texts: Texts;
  store: Pick<ChatStore, 'call' | 'get'>;
  /** The panel has to be drawn again. */
  redraw(): void;
}

/** The calls of this page. */
export interface Voice {
  /** Begins a call, unless there is one. */
  start(): void;
  /** Ends the call, if there is one. */
  end(): void;
  /** Puts the call's controls into an element in place of the field to write in; undefined while there is no call. */
  mount: ((element: HTMLElement | null) => void) | undefined;
  /** The messages with what was said in calls, each at its place. With another visitor or conversation, they end and are forgotten. */
  merge(state: ChatState): readonly ChatMessage[];
}

export type CreateVoice = (context: VoiceContext) => Voice;

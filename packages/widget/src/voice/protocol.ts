import type { ChatMessage } from '../client/chat-state.ts';
import type { CallWidgetApi } from '../client/widget-api.ts';

/** What the panel gives the script of calls, which arrives when the visitor presses the microphone. */
export interface VoiceContext {
  root: ShadowRoot;
  service: string;
  key: string;
  /** The panel's own, with the translations of those of calls. */
  texts: Readonly<Record<string, string>>;
  call: CallWidgetApi;
  /** The panel has to be drawn again. */
  onChange(): void;
}

/** A call, or what is left of it. */
export interface VoiceCall {
  /** Puts its controls into an element in place of the field to write in; undefined once the call is over. */
  mount: ((element: HTMLElement | null) => void) | undefined;
  /** What was said. */
  lines: readonly ChatMessage[];
  /** Why it ended, if that has to be said. */
  notice: string | undefined;
  end(): void;
}

export type StartVoice = (context: VoiceContext) => VoiceCall;

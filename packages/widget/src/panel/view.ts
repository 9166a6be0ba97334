import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { ChatState, ChatStore } from '../client/chat-state.ts';
import type { PageSettings, Problem } from '../protocol.ts';
import type { Voice } from '../voice/protocol.ts';
import type { Texts } from './texts.ts';

/** What every part of the panel is drawn from. */
export interface View {
  state: ChatState;
  store: ChatStore;
  texts: Texts;
  /** The language of `texts`. */
  language: string;
  look: WidgetLook | undefined;
  problem: Problem | undefined;
  settings: PageSettings;
  isOpen: boolean;
  close(): void;
  /** Undefined until the visitor has talked. */
  voice: Voice | undefined;
  /** Begins a call. */
  talk(): void;
}

export interface Viewing {
  view: View;
}

/** An answer is on its way: it can be stopped, and nothing else can be sent. */
export function isBusy({ activity, messages }: ChatState): boolean {
  return activity !== 'none' || messages.at(-1)?.state === 'streaming';
}

/** Why the chat cannot be used at all, if it cannot. */
export function unavailability({ problem, state, texts }: View): string | undefined {
  if (problem === 'blocked' || state.trouble?.kind === 'blocked') return texts.blocked;
  return problem && texts.outage;
}

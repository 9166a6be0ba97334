import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { ChatStore } from '../client/chat-state.ts';
import type { PageSettings, Problem } from '../protocol.ts';
import type { Texts } from './texts.ts';

/** What every part of the panel is drawn from. */
export interface View {
  store: ChatStore;
  texts: Texts;
  look: WidgetLook | undefined;
  problem: Problem | undefined;
  settings: PageSettings;
  isOpen: boolean;
  close(): void;
}

import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { ShowActions } from '../actions/protocol.ts';
import type { ChatState, ChatStore } from '../client/chat-state.ts';
import type { VisitorFiles } from '../files/protocol.ts';
import type { VisitorForm } from '../form/protocol.ts';
import type { VisitorHistory } from '../history/protocol.ts';
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
  /** In place of the field to write in; undefined while it is loaded, null where nothing is asked. */
  form: VisitorForm | null | undefined;
  /** Undefined until one is chosen or shown. */
  files: VisitorFiles | undefined;
  /** Loads what sends and shows files. */
  useFiles(use: (files: VisitorFiles) => void): void;
  /** Draws what visitors can do with messages; undefined until it is loaded. */
  actions: ShowActions | undefined;
  /** Begins a call. */
  talk(): void;
  /** In place of the messages and the field to write in, where the visitor has asked for it. */
  history: VisitorHistory | undefined;
  showHistory(): void;
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

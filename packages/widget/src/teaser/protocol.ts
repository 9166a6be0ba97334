import type { ChatState } from '../client/chat-state.ts';
import type { Texts } from '../panel/texts.ts';
import type { PanelContext } from '../protocol.ts';

/** What the teaser reads of the states of the store. */
export type TeaserState = Pick<ChatState, 'messages' | 'phase' | 'thread' | 'unread'>;

/** To be called after each change of the state. */
export type UpdateTeaser = (state: TeaserState, texts: Texts) => void;

/**
 * The beginning of a person's message, beside the launcher while the panel is closed. Its script arrives with the first
 * unread message. What is in `first`, from before it, is not news.
 */
export type CreateTeaser = (
  context: Pick<PanelContext, 'root' | 'look' | 'open'>,
  first: TeaserState,
) => UpdateTeaser;

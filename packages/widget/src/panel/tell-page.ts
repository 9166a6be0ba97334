import type { ChatState } from '../client/chat-state.ts';
import type { PanelContext } from '../protocol.ts';

/** Reports to the launcher and to the page's own listeners what changed. */
export function tellPage({
  emit,
  onUnread,
}: Pick<PanelContext, 'emit' | 'onUnread'>): (previous: ChatState, state: ChatState) => void {
  const known = new Set<string>();
  return (previous, state) => {
    if (state.unread !== previous.unread) onUnread(state.unread);
    if (state.trouble && state.trouble.kind !== previous.trouble?.kind) emit('error', state.trouble.kind);
    for (const { id, from, text, state: progress } of state.messages) {
      const isFinished = progress === 'done' || progress === 'interrupted';
      if (!isFinished || known.has(id)) continue;
      known.add(id);
      // A history that was just read is not news.
      if (previous.phase !== 'loading') emit('message', { from, text });
    }
  };
}

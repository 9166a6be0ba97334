import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useEffect, useSyncExternalStore } from 'react';
import { seeConversation } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';

/** The member has read what mentions them once they see the conversation. */
export function useSeeMentions({ id, unread_mentions: unread }: ConsoleConversation): void {
  const { api, user } = useWorkspace();
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  const isUnread = isVisible && (unread?.includes(user.id) ?? false);
  useEffect(() => {
    // It stays unread if that fails, until it is opened again.
    if (isUnread) seeConversation(api, id).catch(() => undefined);
  }, [isUnread, api, id]);
}

function onVisibility(callback: () => void): () => void {
  document.addEventListener('visibilitychange', callback);
  return () => document.removeEventListener('visibilitychange', callback);
}

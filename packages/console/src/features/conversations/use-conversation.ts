import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents } from '@svc/client/full-conversation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { conversationQuery } from '../../api/conversation.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { serverNow } from '../../format/server-time.ts';
import { useLiveChanges } from '../../live/live-context.ts';
import { useConversationEvents } from '../../live/use-conversation-events.ts';

/** After these something is known that the events do not contain, such as what a reply cost or who answered. */
const settling = new Set<FullEvent['type']>([
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'approval.resolved',
]);

/** A turn that is stopped to delete its conversation leaves nothing to read. */
function isSettling({ type, data }: FullEvent): boolean {
  if (type === 'turn.interrupted' && data.by === 'erasure') return false;
  return settling.has(type);
}

/** A conversation that stays current while it is shown. */
export function useConversation(id: string) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const options = conversationQuery(api, id);
  const query = useQuery(options);
  const { data: state, refetch } = query;
  const problem = useConversationEvents(id, {
    after: state?.lastEventId,
    isEnabled: state !== undefined,
    onEvents(events) {
      const now = new Date(serverNow());
      client.setQueryData(options.queryKey, (before) => before && applyFullEvents(before, events, now));
      if (events.some(isSettling)) void refetch();
    },
  });
  // The state of a call, its latencies and what runs after it are not among the events.
  useLiveChanges((change) => {
    if (state?.conversation.call && change.object === 'conversation' && change.id === id) void refetch();
  });
  const isIncomplete = state?.isIncomplete ?? false;
  useEffect(() => {
    if (isIncomplete) void refetch();
  }, [isIncomplete, refetch]);
  return { query, state, problem };
}

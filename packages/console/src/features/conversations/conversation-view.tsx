import { ApiError } from '@svc/client/api-error';
import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents } from '@svc/client/full-conversation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { keys } from '../../api/client.ts';
import { conversationQuery } from '../../api/conversations.ts';
import { TextLink, useParam, useWorkspace } from '../../app/workspace.tsx';
import { serverNow } from '../../format/server-time.ts';
import { Bar, EmptyState, LoadError, Loading } from '../../kit/placeholders.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { useConversationEvents } from '../../live/use-conversation-events.ts';
import { ConversationPane } from './conversation-pane.tsx';

/** One conversation, beside the list. */
export function ConversationView() {
  const id = useParam('conversation');
  return <OpenConversation id={id} key={id} />;
}

/** Once it is deleted, nothing of it is kept or read any more. */
function OpenConversation({ id }: { id: string }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (isGone) client.removeQueries({ queryKey: keys.one(api, 'conversation', id) });
  }, [isGone, client, api, id]);
  return isGone ? <NoConversation /> : <LoadedConversation id={id} onGone={() => setGone(true)} />;
}

function NoConversation() {
  return (
    <EmptyState
      title="This conversation does not exist"
      action={
        <TextLink path="/conversations" className="underline-offset-2">
          All conversations
        </TextLink>
      }
    >
      It was deleted, or the address is wrong.
    </EmptyState>
  );
}

function LoadedConversation({ id, onGone }: { id: string; onGone: () => void }) {
  const { query, state, problem } = useConversation(id);
  const isGone = problem?.code === 'NOT_FOUND' || isNotFound(query.error);
  const reportGone = useEffectEvent(onGone);
  useEffect(() => {
    if (isGone) reportGone();
  }, [isGone]);
  if (isGone) return <NoConversation />;
  if (state) return <ConversationPane state={state} />;
  if (query.error) return <LoadError query={query} className="p-4" />;
  return <ConversationLoading />;
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function ConversationLoading() {
  return (
    <Loading label="Loading the conversation">
      <div className="flex h-full w-full flex-col">
        <div className="flex flex-col gap-2 border-line border-b px-4 py-3">
          <Bar className="w-1/3" />
          <Bar className="h-3 w-1/2" />
        </div>
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 p-6">
          <Bar className="h-10 w-2/5 self-end" />
          <Bar className="h-16 w-3/4" />
          <Bar className="h-10 w-1/3 self-end" />
          <Bar className="h-24 w-3/4" />
        </div>
      </div>
    </Loading>
  );
}

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
function useConversation(id: string) {
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

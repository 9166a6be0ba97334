import { ApiError } from '@svc/client/api-error';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { keys } from '../../api/client.ts';
import { TextLink, useParam, useWorkspace } from '../../app/workspace.tsx';
import { Bar, EmptyState, LoadError, Loading } from '../../kit/placeholders.tsx';
import { ConversationPane } from './conversation-pane.tsx';
import { useConversation } from './use-conversation.ts';

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

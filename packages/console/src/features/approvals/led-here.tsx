import type { Approval } from '@svc/contract/approvals';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messagesQuery } from '../../api/conversation.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { Bar, Loading } from '../../kit/skeleton.tsx';
import { VisibleText } from '../../kit/visible-text.tsx';
import { Folded } from './folded.tsx';

const shownMessages = 4;
const speakers = { user: 'User', assistant: 'Bot', operator: 'Operator', tool: 'Tool' };

/** The last messages before the call, read when somebody wants to see them. */
export function LedHere({ approval }: { approval: Approval }) {
  const { api } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { conversation_id: id } = approval;
  const conversation = useQuery({ ...messagesQuery(api, id), enabled: isOpen });
  const messages = (conversation.data?.messages ?? [])
    .filter(({ role, content, created_at: at }) => role !== 'tool' && content && at <= approval.created_at)
    .slice(-shownMessages);
  return (
    <Folded title="What led here" onToggle={setOpen}>
      {conversation.isPending && isOpen && (
        <Loading>
          <Bar className="w-2/3" />
        </Loading>
      )}
      {conversation.isError && (
        <InlineError error={conversation.error} onRetry={() => void conversation.refetch()} />
      )}
      {conversation.data && messages.length === 0 && <p className="text-ink-3">No messages.</p>}
      {messages.map((message) => (
        <div key={message.id}>
          <p className="text-ink-3 text-sm">{message.author_name ?? speakers[message.role]}</p>
          <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={message.content} />
          </p>
        </div>
      ))}
    </Folded>
  );
}

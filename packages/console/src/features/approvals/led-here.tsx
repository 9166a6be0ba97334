import type { Approval } from '@svc/contract/approvals';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { messagesQuery } from '../../api/conversation.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { Bar, Loading } from '../../kit/skeleton.tsx';
import { VisibleText } from '../../kit/visible-text.tsx';

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
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex w-fit list-none items-center gap-1 rounded-sm text-ink-2 text-sm hover:text-ink pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="size-4 transition group-open:rotate-90" />
        What led here
      </summary>
      <div className="flex flex-col gap-2 pt-2 pl-5">
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
      </div>
    </details>
  );
}

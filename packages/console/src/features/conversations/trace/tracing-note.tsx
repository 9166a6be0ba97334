import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateBot } from '../../../api/bots.ts';
import { conversationQuery } from '../../../api/conversation.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { notify } from '../../../kit/toast.tsx';

/** Says that this turn was not traced, and offers to trace the next ones. */
export function TracingNote({ conversation }: { conversation: ConsoleConversation }) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const { bot } = conversation;
  const start = useMutation({
    mutationFn: () => updateBot(api, conversation.bot_id, { enable_agent_tracing: true }),
    onSuccess: () => {
      notify({ text: `The next turns of ${bot.name} are traced.` });
      return client.invalidateQueries(conversationQuery(api, conversation.id));
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-info-tint px-4 py-2 text-info-ink text-sm">
      <span className="min-w-0 flex-1 basis-48">
        {bot.is_traced
          ? 'This turn ran before tracing was on: its steps are drawn from its events.'
          : 'Tracing is off: these steps are drawn from events, without what the model was sent.'}
      </span>
      {!bot.is_traced && can('operator') && (
        <Button size="small" isBusy={start.isPending} onPress={() => start.mutate()}>
          Trace from now on
        </Button>
      )}
      {start.error && <InlineError error={start.error} />}
    </div>
  );
}

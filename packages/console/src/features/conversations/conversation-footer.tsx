import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation } from '@tanstack/react-query';
import { Hand, PowerOff } from 'lucide-react';
import { handBack, replyAsPerson } from '../../api/conversation.ts';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import { Composer } from '../chat/composer.tsx';

const modifier = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl+';

/** Where people of the team step in. */
export function ConversationFooter({ conversation }: { conversation: ConsoleConversation }) {
  const { api, can, user } = useWorkspace();
  const { id, needs_human: needsHuman } = conversation;
  const back = useMutation({ mutationFn: () => handBack(api, id) });
  const hasReader = rulesOf(conversation.channel).continuedByUser;
  const canReply = can('operator') && hasReader;
  return (
    <footer>
      {hasReader && conversation.bot.is_inactive && <InactiveNote conversation={conversation} />}
      {needsHuman && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-paused-tint px-4 py-2 text-paused-ink text-sm">
          <Hand aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
            <strong className="font-semibold">The bot asked for a person</strong>{' '}
            <TimeAgo at={needsHuman.at} />: <NameText text={needsHuman.reason} />
          </span>
          {can('operator') && (
            <Button size="small" isBusy={back.isPending} onPress={() => back.mutate()}>
              Hand back
            </Button>
          )}
          {back.error && <InlineError error={back.error} />}
        </div>
      )}
      {canReply && (
        <Composer
          label="Reply as a person"
          placeholder={`Reply as ${user.name}… (${modifier}Enter sends)`}
          sendsOnEnter={false}
          sendLabel="Reply"
          onSend={(text) => replyAsPerson(api, id, text, user.name)}
        />
      )}
      {!can('operator') && <p className="border-line border-t px-4 py-2 text-ink-3 text-sm">View only</p>}
    </footer>
  );
}

/** New messages of the user are refused then. */
function InactiveNote({ conversation: { bot, bot_id: botId } }: { conversation: ConsoleConversation }) {
  const { can } = useWorkspace();
  return (
    <p className="flex items-center gap-3 border-line border-t bg-warning-tint px-4 py-2 text-sm text-warning-ink">
      <PowerOff aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <NameText text={bot.name} /> is deactivated: the user gets no more answers here.{' '}
        <PageLink path={`/bots/${botId}/prompt`} className="underline underline-offset-2">
          {can('operator') ? 'Open the bot to activate it' : 'Open the bot'}
        </PageLink>
      </span>
    </p>
  );
}

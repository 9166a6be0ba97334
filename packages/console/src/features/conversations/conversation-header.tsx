import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { Activity, ChevronLeft, Ellipsis, FlaskConical, Info, LogOut, Square, Trash2 } from 'lucide-react';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { money, plural } from '../../format/numbers.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { Menu } from '../../kit/menu.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import type { OpenDialog } from './conversation-dialogs.tsx';
import { statusOf } from './conversation-status.ts';
import type { Stop } from './use-stop.ts';

interface ConversationHeaderProps {
  conversation: ConsoleConversation;
  stop: Stop;
  panel: string | undefined;
  onPanel: (name: 'trace' | 'info') => void;
  onDialog: (dialog: OpenDialog) => void;
}

export function ConversationHeader({
  conversation,
  stop,
  panel,
  onPanel,
  onDialog,
}: ConversationHeaderProps) {
  const { can } = useWorkspace();
  const { title, bot, external_user_id: user } = conversation;
  // Tests are the team's own: their user has no sessions.
  const person = conversation.channel === 'test' ? null : user;
  // A call has a header of its own, which says how it goes.
  const shown = conversation.call ? undefined : statusOf(conversation);
  return (
    <header className="border-line border-b bg-surface px-4 py-2">
      <div className="flex items-center gap-x-2">
        <PageLink
          path="/conversations"
          aria-label="All conversations"
          className="-ml-1 rounded-sm p-1 lg:hidden"
        >
          <ChevronLeft aria-hidden className="size-4" />
        </PageLink>
        <h2 className="min-w-0 flex-1 truncate font-semibold" title={title}>
          <NameText text={title || 'Conversation'} />
        </h2>
        <div className="flex items-center gap-1">
          {stop.canStop && (
            <Button size="small" icon={<Square aria-hidden />} isBusy={stop.isStopping} onPress={stop.stop}>
              <span className="max-sm:sr-only">{conversation.call ? 'End call' : 'Stop'}</span>
            </Button>
          )}
          <IconButton
            label="Trace"
            icon={<Activity aria-hidden />}
            hint="t"
            aria-pressed={panel === 'trace'}
            onPress={() => onPanel('trace')}
          />
          <IconButton
            label="Details"
            icon={<Info aria-hidden />}
            aria-pressed={panel === 'info'}
            onPress={() => onPanel('info')}
          />
          {can('operator') && (
            <Menu
              label="More"
              entries={[
                {
                  label: 'Save as scenario',
                  icon: <FlaskConical aria-hidden />,
                  onAction: () => onDialog({ name: 'scenario' }),
                },
                person !== null && {
                  label: 'End sessions…',
                  icon: <LogOut aria-hidden />,
                  onAction: () => onDialog({ name: 'endSessions', person }),
                },
                can('owner') && {
                  label: 'Delete conversation',
                  icon: <Trash2 aria-hidden />,
                  isDangerous: true,
                  isFirstOfGroup: true,
                  onAction: () => onDialog({ name: 'delete' }),
                },
              ]}
            >
              <IconButton label="More" icon={<Ellipsis aria-hidden />} />
            </Menu>
          )}
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-3 text-sm">
        {shown && <StateBadge {...shown} isFilled />}
        <PageLink path={`/bots/${conversation.bot_id}/prompt`} className="hover:underline">
          <NameText text={bot.name} />
        </PageLink>
        <span aria-hidden>·</span>
        <span>{channelName(conversation.channel)}</span>
        {person !== null && (
          <>
            <span aria-hidden>·</span>
            <PageLink
              path="/conversations"
              search={{ user: person }}
              className="max-w-48 truncate hover:underline"
            >
              <NameText text={person} />
            </PageLink>
          </>
        )}
        <span aria-hidden>·</span>
        <span>{plural(conversation.message_count, 'message')}</span>
        <span aria-hidden>·</span>
        <span>{money(conversation.cost_usd)}</span>
      </p>
      {stop.error && <InlineError error={stop.error} />}
    </header>
  );
}

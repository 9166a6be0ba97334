import type { ListedConversation } from '@svc/contract/console-conversations';
import { PageLink } from '../../../app/workspace.tsx';
import { channelName } from '../../../format/channels.ts';
import { classes } from '../../../kit/classes.ts';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { NameText } from '../../../kit/visible-text.tsx';
import { statusOf } from '../conversation-status.ts';
import { type FilterSearch, splitAt } from './filters.ts';

interface ConversationRowProps {
  conversation: ListedConversation;
  search: FilterSearch;
  isSelected: boolean;
}

/** One conversation in the list: what it is about, who it is with, and what was said last. */
export function ConversationRow({ conversation, search, isSelected }: ConversationRowProps) {
  const { id, title, bot_name: bot, channel, external_user_id: user, needs_human: needsHuman } = conversation;
  const state = statusOf(conversation);
  return (
    <li
      data-row={id}
      className="border-line border-b [contain-intrinsic-size:auto_84px] [content-visibility:auto]"
    >
      <PageLink
        path={`/conversations/${id}`}
        search={search}
        aria-current={isSelected ? 'true' : undefined}
        className={classes(
          'flex flex-col gap-0.5 px-4 py-2 -outline-offset-2',
          isSelected ? 'bg-selected' : 'hover:bg-hover',
        )}
      >
        <span className="flex items-baseline gap-2">
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
            <NameText text={title || 'Conversation'} />
          </span>
          <TimeAgo
            at={conversation.last_message_at ?? conversation.created_at}
            className="shrink-0 text-ink-3 text-xs tabular-nums"
          />
        </span>
        <span className="truncate text-ink-2 text-sm">
          <NameText
            text={[bot, user && channel !== 'test' ? user : channelName(channel)].filter(Boolean).join(' · ')}
          />
        </span>
        {needsHuman ? (
          <span dir="auto" className="truncate text-ink-2 text-sm">
            {needsHuman.reason || 'Wants a person.'}
          </span>
        ) : (
          <Excerpt conversation={conversation} wanted={search.q} />
        )}
        {state && <StateBadge {...state} />}
      </PageLink>
    </li>
  );
}

/** The place where the text was found, with the text marked; without a search, what was written last. */
function Excerpt({ conversation: { match, preview }, wanted = '' }: ExcerptProps) {
  if (match === undefined) {
    if (preview === null) return null;
    return (
      <span dir="auto" className="truncate text-ink-3 text-sm">
        {preview}
      </span>
    );
  }
  const [before, found, after] = splitAt(match, wanted);
  return (
    <span dir="auto" className="line-clamp-2 text-ink-3 text-sm">
      …{before}
      <mark className="bg-selected text-ink">{found}</mark>
      {after}
    </span>
  );
}

interface ExcerptProps {
  conversation: Pick<ListedConversation, 'match' | 'preview'>;
  wanted?: string | undefined;
}

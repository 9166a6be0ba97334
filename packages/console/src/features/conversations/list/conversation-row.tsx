import type { ListedConversation } from '@svc/contract/console-conversations';
import { plainText } from '@svc/markdown/plain-text';
import { PageLink, useWorkspace } from '../../../app/workspace.tsx';
import { channelName } from '../../../format/channels.ts';
import { isMadeUp, personName } from '../../../format/person-name.ts';
import { classes } from '../../../kit/classes.ts';
import { NameText, StateBadge, TimeAgo } from '../../../kit/labels.tsx';
import { statusOf, turnStatusOf } from '../conversation-status.ts';
import { LabelChips } from '../inbox/labels.tsx';
import { type FilterSearch, labelsOf, splitAt } from './filters.ts';

interface ConversationRowProps {
  conversation: ListedConversation;
  search: FilterSearch;
  isSelected: boolean;
}

/** One conversation in the list: what it is about, who it is with, and what was said last. */
export function ConversationRow({ conversation, search, isSelected }: ConversationRowProps) {
  const { id, title, latest_turn_status: latest } = conversation;
  const labels = labelsOf(conversation);
  const isMentioned = conversation.unread_mentions?.includes(useWorkspace().user.id) ?? false;
  const isNew = conversation.latest_act === 'user';
  const state = statusOf(conversation, latest) ?? (search.status ? turnStatusOf(latest) : undefined);
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
          {isNew && (
            <span
              role="img"
              aria-label="New from the user"
              title="New from the user"
              className="size-2 shrink-0 self-center rounded-full bg-accent"
            />
          )}
          <span
            dir="auto"
            className={classes('min-w-0 flex-1 truncate', isNew ? 'font-semibold' : 'font-medium')}
          >
            <NameText text={title || 'Conversation'} />
          </span>
          <TimeAgo
            at={conversation.last_message_at ?? conversation.created_at}
            className="shrink-0 text-ink-3 text-xs tabular-nums"
          />
        </span>
        <Parties conversation={conversation} />
        <LatestText conversation={conversation} wanted={search.q} />
        {(state || isMentioned || labels.length > 0) && (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {isMentioned && <StateBadge state="info" text="Mentions you" isFilled />}
            {state && <StateBadge {...state} />}
            <LabelChips labels={labels} />
          </span>
        )}
      </PageLink>
    </li>
  );
}

/** The bot, the user, and the member who sees to it. */
function Parties({ conversation }: Pick<ConversationRowProps, 'conversation'>) {
  const { bot_name: bot, channel, external_user_id: user, user_name: name } = conversation;
  const { assignee_name: assignee } = conversation;
  const hasUser = user !== null && user !== '' && channel !== 'test';
  return (
    <span className="truncate text-ink-2 text-sm">
      {bot && <NameText text={`${bot} · `} />}
      <span className={classes(hasUser && isMadeUp(user, name) && 'italic')}>
        <NameText text={hasUser ? personName(user, name) : channelName(channel)} />
      </span>
      {assignee && <NameText text={` · ${assignee}`} />}
    </span>
  );
}

interface LatestTextProps {
  conversation: ListedConversation;
  wanted?: string | undefined;
}

/** The place where a searched text was found; otherwise why a person was asked, or what has been said since. */
function LatestText({ conversation, wanted = '' }: LatestTextProps) {
  const {
    match,
    preview,
    preview_role: role,
    preview_author: author,
    needs_human: needsHuman,
  } = conversation;
  if (match !== undefined) {
    const [before, found, after] = splitAt(match, wanted);
    return (
      <span dir="auto" className="line-clamp-2 text-ink-3 text-sm">
        …{before}
        <mark className="bg-selected text-ink">{found}</mark>
        {after}
      </span>
    );
  }
  const { latest_act: act = 'handed_off' } = conversation;
  if (needsHuman?.reason && act === 'handed_off')
    return (
      <span dir="auto" className="truncate text-ink-2 text-sm">
        {needsHuman.reason}
      </span>
    );
  if (preview === null) return null;
  return (
    <span dir="auto" className="truncate text-ink-3 text-sm">
      {role === 'operator' && <NameText text={`${author || 'A person'}: `} />}
      {plainText(preview) || preview}
    </span>
  );
}

import type { ListedConversation } from '@svc/contract/console-conversations';
import type { EndUserDetails } from '@svc/contract/end-user-details';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { keys } from '../../api/client.ts';
import { type ConversationState, conversationQuery, conversationsQuery } from '../../api/conversations.ts';
import { endUserQuery, updateEndUser } from '../../api/end-users.ts';
import { useForm } from '../../app/use-submit.ts';
import { TextLink, useWorkspace } from '../../app/workspace.tsx';
import { isMadeUp, madeUpHint, personName } from '../../format/person-name.ts';
import { Button, CopyButton } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';
import { NameText, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { statusOf } from './conversation-status.ts';

interface UserCardProps {
  /** The id that the integration or the widget gave them. */
  user: string;
  /** The conversation that is open. */
  conversationId: string;
}

const maxOthers = 5;

/** Who the user of a conversation is, where they are, and what else was said with them. */
export function UserCard({ user, conversationId }: UserCardProps) {
  const { api } = useWorkspace();
  const details = useQuery(endUserQuery(api, user));
  const { refetch } = details;
  useLiveChanges(({ object, id }) => {
    if (object === 'conversation' && (id === conversationId || id === null)) void refetch();
  });
  const [isEditing, setEditing] = useState(false);
  return (
    <section aria-label="User" className="flex flex-col gap-3 border-line border-b p-4">
      {details.isPending && (
        <Loading label="Loading the user">
          <Bar className="w-1/2" />
        </Loading>
      )}
      {details.isError && !details.data && (
        <InlineError error={details.error} onRetry={() => void refetch()} />
      )}
      {details.data &&
        (isEditing ? (
          <DetailsForm
            details={details.data}
            conversationId={conversationId}
            onClose={() => setEditing(false)}
          />
        ) : (
          <Details details={details.data} onEdit={() => setEditing(true)} />
        ))}
      <OtherConversations user={user} conversationId={conversationId} />
    </section>
  );
}

function Details({ details, onEdit }: { details: EndUserDetails; onEdit: () => void }) {
  const { can } = useWorkspace();
  const {
    external_user_id: user,
    name,
    email,
    page_url: page,
    page_title: title,
    browser,
    seen_at: seenAt,
  } = details;
  return (
    <>
      <div className="flex items-center gap-3">
        <h3 dir="auto" className="min-w-0 flex-1 font-semibold [overflow-wrap:anywhere]">
          <NameText text={personName(user, name)} />
        </h3>
        {can('operator') && (
          <Button size="small" onPress={onEdit}>
            Edit
          </Button>
        )}
      </div>
      {isMadeUp(user, name) && <p className="-mt-2 text-ink-3 text-sm">{madeUpHint}</p>}
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2 text-sm">
        {email !== null && (
          <Row name="Email">
            <span className="break-all">{email}</span>
            <CopyButton text={email} label="Copy the email address" className="size-6" />
          </Row>
        )}
        {page !== null && (
          <Row name="Page">
            <span className="flex min-w-0 flex-col">
              {title !== null && (
                <bdi className="[overflow-wrap:anywhere]">
                  <NameText text={title} />
                </bdi>
              )}
              <PageAddress page={page} />
            </span>
          </Row>
        )}
        {browser !== null && <Row name="Browser">{browser}</Row>}
        {seenAt !== null && (
          <Row name="Last seen">
            <TimeAgo at={seenAt} />
          </Row>
        )}
        <Row name="User id">
          <code className="break-all text-xs">
            <NameText text={user} />
          </code>
          <CopyButton text={user} label="Copy the user's id" className="size-6" />
        </Row>
      </dl>
    </>
  );
}

/** The site does not learn from where it was opened. */
function PageAddress({ page }: { page: string }) {
  const shown = page.replace(/^https?:\/\//, '');
  if (!/^https?:\/\//.test(page)) return <span className="break-all">{page}</span>;
  return (
    <a href={page} target="_blank" rel="noreferrer" className="break-all text-accent-ink underline">
      {shown}
    </a>
  );
}

interface DetailsFormProps {
  details: EndUserDetails;
  conversationId: string;
  onClose: () => void;
}

/** Corrects what the user wrote of themselves. */
function DetailsForm({ details, conversationId, onClose }: DetailsFormProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { external_user_id: user } = details;
  // The user may give the other one meanwhile.
  const [opened] = useState(details);
  const { field, onSubmit, isBusy, error } = useForm(
    { name: details.name ?? '', email: details.email ?? '' },
    async ({ name, email }) => {
      const change = {
        ...(name.trim() !== (opened.name ?? '') && { name: name.trim() || null }),
        ...(email.trim() !== (opened.email ?? '') && { email: email.trim() || null }),
      };
      if (Object.keys(change).length === 0) return onClose();
      await updateEndUser(api, user, change);
      const [saved] = await Promise.all([
        client.fetchQuery({ ...endUserQuery(api, user), staleTime: 0 }),
        client.invalidateQueries({ queryKey: keys.lists(api, 'conversation') }),
      ]);
      client.setQueryData(conversationQuery(api, conversationId).queryKey, (state) =>
        withUserName(state, saved.name),
      );
      notify({ text: 'The user was saved.' });
      onClose();
    },
  );
  return (
    <form className="flex flex-col gap-3" onSubmit={onSubmit}>
      <TextField label="Name" maxLength={80} autoFocus {...field('name')} />
      <TextField label="Email" type="email" maxLength={254} {...field('email')} />
      {error !== undefined && <InlineError error={error} />}
      <div className="flex gap-2">
        <Button type="submit" size="small" isBusy={isBusy}>
          Save
        </Button>
        <Button size="small" look="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** The same state if the user is called that already. */
export function withUserName(
  state: ConversationState | undefined,
  name: string | null,
): ConversationState | undefined {
  if (!state || state.conversation.user_name === name) return state;
  return { ...state, conversation: { ...state.conversation, user_name: name } };
}

function OtherConversations({ user, conversationId }: UserCardProps) {
  const { api } = useWorkspace();
  const query = useInfiniteQuery(conversationsQuery(api, { external_user_id: user }));
  const listed = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const others = listed.filter(({ id }) => id !== conversationId);
  if (query.isError && !query.data)
    return <InlineError error={query.error} onRetry={() => void query.refetch()} />;
  if (others.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-ink-3 text-sm">Other conversations</h4>
      <ul className="flex flex-col">
        {others.slice(0, maxOthers).map((one) => (
          <OtherConversation key={one.id} conversation={one} />
        ))}
      </ul>
      {(others.length > maxOthers || query.hasNextPage) && (
        <TextLink path="/conversations" search={{ user }} className="text-sm">
          All of their conversations
        </TextLink>
      )}
    </div>
  );
}

function OtherConversation({ conversation }: { conversation: ListedConversation }) {
  const { id, title, last_message_at: lastAt, created_at: createdAt } = conversation;
  const state = statusOf(conversation, conversation.latest_turn_status);
  return (
    <li className="flex flex-wrap items-center gap-x-2 py-1 text-sm">
      <TextLink path={`/conversations/${id}`} search={{ panel: 'info' }} className="min-w-0 flex-1 truncate">
        <bdi>
          <NameText text={title || 'Conversation'} />
        </bdi>
      </TextLink>
      {state && <StateBadge {...state} />}
      <TimeAgo at={lastAt ?? createdAt} className="shrink-0 text-ink-3 text-xs tabular-nums" />
    </li>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="self-center text-ink-3">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}

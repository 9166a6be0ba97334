import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { ReactNode } from 'react';
import { useTechnical } from '../../app/technical.ts';
import { TextLink } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { count } from '../../format/numbers.ts';
import { exactTime } from '../../format/time.ts';
import { CopyButton } from '../../kit/buttons.tsx';
import { Cost } from '../../kit/cost.tsx';
import { NameText } from '../../kit/labels.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { UserCard } from './user-card.tsx';

/** Who, where and when. How much, and the ids to copy, are for engineers. */
export function InfoPanel({
  conversation,
  onClose,
}: {
  conversation: ConsoleConversation;
  onClose: () => void;
}) {
  const isTechnical = useTechnical();
  const { bot, usage, run } = conversation;
  // The user of a test is a member, whose id says nothing.
  const isTest = conversation.channel === 'test';
  const user = isTest ? null : conversation.external_user_id;
  const fixed = conversation.turns.findLast((turn) => turn.bot_version !== null)?.bot_version;
  const metadata = Object.entries(conversation.metadata);
  return (
    <SidePanel title="Details" onClose={onClose}>
      {user !== null && <UserCard user={user} conversationId={conversation.id} />}
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2 p-4 text-sm">
        {!user && <Row name="User">{isTest ? 'a member of the team' : 'not known'}</Row>}
        <Row name="Channel">{channelName(conversation.channel)}</Row>
        <Row name="Bot">
          <TextLink path={`/bots/${conversation.bot_id}/prompt`}>
            <NameText text={bot.name} />
          </TextLink>
        </Row>
        <Row name="Version">{versionText(fixed, bot.version)}</Row>
        {run && <Row name="Started by">{run.trigger}</Row>}
        <Row name="Created">{exactTime(new Date(conversation.created_at))}</Row>
        {conversation.last_message_at && (
          <Row name="Last message">{exactTime(new Date(conversation.last_message_at))}</Row>
        )}
        {isTechnical && (
          <>
            <Row name="Cost">
              <Cost {...conversation} />
            </Row>
            <Row name="Tokens">
              {count(usage.input_tokens)} read
              {usage.cached_input_tokens > 0 && ` (${count(usage.cached_input_tokens)} cached)`},{' '}
              {count(usage.output_tokens)} written
            </Row>
            <Id name="Conversation" id={conversation.id} />
            <Id name="Bot id" id={conversation.bot_id} />
          </>
        )}
      </dl>
      {metadata.length > 0 && (
        <section className="border-line border-t p-4">
          <h3 className="mb-2 font-medium text-sm">Metadata</h3>
          <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2 text-sm">
            {metadata.map(([name, value]) => (
              <Row key={name} name={name}>
                <span className="break-all">
                  <NameText text={value} />
                </span>
              </Row>
            ))}
          </dl>
        </section>
      )}
    </SidePanel>
  );
}

/** Drafts are numbered below zero, which is not shown. */
function versionText(fixed: number | null | undefined, current: number): string {
  if (!fixed) return String(current);
  return fixed < 0
    ? `an unsaved draft, the current one is ${current}`
    : `${fixed}, the current one is ${current}`;
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="self-center text-ink-3">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <Row name={name}>
      <code className="break-all text-xs">{id}</code>
      <CopyButton text={id} label={`Copy: ${name}`} className="size-6" />
    </Row>
  );
}

import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { Hand, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { replyAsPerson, writeNote } from '../../api/conversations.ts';
import { membersQuery } from '../../api/members.ts';
import { PageLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Segments } from '../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../kit/labels.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { Composer } from '../chat/composer.tsx';
import { CannedReplies } from './inbox/canned-replies.tsx';
import { useInboxChange } from './inbox/inbox-bar.tsx';
import { MentionPicker } from './inbox/mention-picker.tsx';
import { mentionsIn } from './inbox/mentions-in.ts';
import { WhoLine } from './inbox/who-line.tsx';
import { replyDraft } from './reply-drafts.ts';

const modifier = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl+';

interface ConversationFooterProps {
  conversation: ConsoleConversation;
  /** The names of the others who are writing a message. */
  typing: readonly string[];
  /** The member writes a reply, or has stopped. */
  onTyping: (isTyping: boolean) => void;
  /** A reply or a note was sent, by its id. */
  onSent: (id: string) => void;
}

/** Where people of the team step in. */
export function ConversationFooter({ conversation, typing, onTyping, onSent }: ConversationFooterProps) {
  const { api, can, user } = useWorkspace();
  const { id, needs_human: needsHuman } = conversation;
  const back = useInboxChange(id);
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  const [isPicking, setPicking] = useState(false);
  const members = useRead(membersQuery).data ?? [];
  const hasReader = rulesOf(conversation.channel).continuedByUser;
  const isNote = mode === 'note' || !hasReader;
  return (
    <footer>
      {hasReader && conversation.bot.is_inactive && <InactiveNote conversation={conversation} />}
      {needsHuman && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-paused-tint px-4 py-2 text-paused-ink text-sm">
          <Hand aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
            <WhyBotIsSilent conversation={conversation} needsHuman={needsHuman} />
          </span>
          {can('operator') && (
            <Button size="small" isBusy={back.isPending} onPress={() => back.mutate({ needs_human: null })}>
              Hand back
            </Button>
          )}
          {back.error && <InlineError error={back.error} />}
        </div>
      )}
      {can('operator') && hasReader && (
        <div className="flex items-center gap-3 border-line border-t bg-surface px-4 pt-2">
          <Segments
            label="What you write"
            options={{ reply: 'Reply', note: 'Note' }}
            value={mode}
            onChange={setMode}
          />
          {typing.length === 0 && !isNote && botAnswers(conversation) && (
            <p className="flex-1 text-right text-ink-3 text-sm">
              The bot keeps answering. Take over to silence it.
            </p>
          )}
          <TypingText names={typing} />
        </div>
      )}
      {can('operator') && isNote && (
        <Composer
          label="Note for the team"
          placeholder="Only the team sees this. @ mentions somebody"
          sendsOnEnter={false}
          sendLabel="Leave note"
          onSend={async (text) => {
            const others = members.filter((one) => one.id !== user.id);
            onSent((await writeNote(api, id, text, mentionsIn(text, others))).id);
          }}
          draft={replyDraft(user.id, `${id}:note`)}
          tools={(insert, complete) => (
            <MentionPicker isOpen={isPicking} onOpenChange={setPicking} onPick={insert} onLeave={complete} />
          )}
          onAt={() => setPicking(true)}
          isNext={hasReader}
        />
      )}
      {can('operator') && !isNote && (
        <Composer
          label="Reply as a person"
          placeholder={`Reply as ${user.name}… (${modifier}Enter sends)`}
          sendsOnEnter={false}
          sendLabel="Reply"
          onSend={async (text) => onSent((await replyAsPerson(api, id, text, user.name)).id)}
          draft={replyDraft(user.id, id)}
          tools={(insert, complete) => (
            <CannedReplies
              isOpen={isPicking}
              onOpenChange={setPicking}
              names={{ operator: user.name, bot: conversation.bot.name, user: conversation.user_name ?? '' }}
              onPick={insert}
              onLeave={complete}
            />
          )}
          onSlash={() => setPicking(true)}
          onTyping={onTyping}
          isNext
        />
      )}
      {!can('operator') && (
        <div className="flex items-center gap-3 border-line border-t px-4 py-2 text-ink-3 text-sm">
          <p className="shrink-0">View only</p>
          <TypingText names={typing} />
        </div>
      )}
    </footer>
  );
}

/** It answers the user's next message, whatever people write. */
function botAnswers({ channel, bot, needs_human: needsHuman }: ConsoleConversation): boolean {
  return channel !== 'test' && needsHuman === null && !bot.is_inactive;
}

/** It has a place of its own, so that nothing moves when somebody begins to type. */
function TypingText({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return <WhoLine names={names} does="typing…" className="flex-1 justify-end text-ink-2 text-sm" />;
}

/** The bot asked for a person, or a person has taken over. */
function WhyBotIsSilent({ conversation, needsHuman: { at, reason } }: WhyBotIsSilentProps) {
  const taken = conversation.notes.findLast(({ kind }) => kind === 'taken_over' || kind === 'handed_off');
  if (taken?.kind === 'taken_over') {
    return (
      <>
        <strong className="font-semibold">
          <NameText text={taken.author_name ?? 'A program'} /> took over
        </strong>{' '}
        <TimeAgo at={taken.created_at} />. The bot is silent until you hand back.
      </>
    );
  }
  return (
    <>
      <strong className="font-semibold">The bot asked for a person</strong> <TimeAgo at={at} />:{' '}
      <NameText text={reason} />
    </>
  );
}

interface WhyBotIsSilentProps {
  conversation: Pick<ConsoleConversation, 'notes'>;
  needsHuman: NonNullable<ConsoleConversation['needs_human']>;
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

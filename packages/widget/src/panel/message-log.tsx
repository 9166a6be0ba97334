/** @jsxImportSource preact */
import { Fragment } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { newMessage } from '../client/chat-message.ts';
import type { ChatMessage } from '../client/chat-state.ts';
import { Activity } from './activity.tsx';
import { Icon } from './icon.tsx';
import { Message } from './message.tsx';
import { Notice } from './notice.tsx';
import { useFollowing } from './use-following.ts';
import { isBusy, unavailability, type View, type Viewing } from './view.ts';

export function MessageLog({ view }: Viewing) {
  const { state, texts, language, actions, voice } = view;
  const messages = withWelcome(view);
  // Before the log is scrolled.
  useLayoutEffect(() => actions?.(state.messages, !isBusy(state) && !state.isHandedOff && !voice?.mount));
  const { log, isAway, hasNews, goToEnd } = useFollowing(view);
  const { isHandedOff, isTakenOver, returnedAfter } = state;
  // After the bot's last answer, or where a person gave the conversation back.
  const turn = messages.findLastIndex(({ from, storedId }) =>
    isHandedOff ? from === 'bot' : storedId === returnedAfter,
  );
  const ofPerson = isTakenOver ? texts.takenOver : texts.handedOff;
  const whoseTurn = (isHandedOff || turn >= 0) && (
    <p class="divider">{isHandedOff ? ofPerson : texts.returned}</p>
  );
  return (
    <>
      <div class="log" ref={log} role="log" aria-live="off" aria-label={texts.messages} tabIndex={0}>
        {state.phase === 'loading' && !messages[0] && <div class="skeleton" />}
        {messages.map((message, index) => {
          const previous = messages[index - 1];
          const day = dayOf(message, previous, language);
          const isFirst = previous?.from !== message.from || previous.author !== message.author || !!day;
          return (
            <Fragment key={message.id}>
              {turn === index - 1 && whoseTurn}
              {day && <p class="divider">{day}</p>}
              <Message message={message} isFirst={isFirst} view={view} />
            </Fragment>
          );
        })}
        {turn === messages.length - 1 && whoseTurn}
        <Activity view={view} />
        <Notice view={view} />
      </div>
      {isAway && (
        <button class="latest" aria-label={texts.newMessages} onClick={goToEnd}>
          <Icon name="down" />
          {hasNews && texts.newMessages}
        </button>
      )}
    </>
  );
}

/** The welcome is stored once the visitor writes, so it is shown from the look until the service sends it. */
function withWelcome(view: View): readonly ChatMessage[] {
  const { look, state, store } = view;
  // A call may come before it.
  const [first] = store.get().messages;
  const text = look?.welcome_message;
  if (!text || unavailability(view) || state.phase === 'loading' || first?.from === 'bot')
    return state.messages;
  return [newMessage('welcome', 'bot', text, 'done', first?.createdAt), ...state.messages];
}

/** The date above the first message of each day, unless the conversation began today. */
function dayOf(
  { createdAt }: ChatMessage,
  previous: ChatMessage | undefined,
  language: string,
): string | undefined {
  const day = new Date(createdAt).toDateString();
  const before = new Date(previous?.createdAt ?? Date.now()).toDateString();
  if (day === before) return undefined;
  return new Date(createdAt).toLocaleDateString(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
  });
}

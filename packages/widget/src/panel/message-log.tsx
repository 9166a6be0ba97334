/** @jsxImportSource preact */
import { Fragment } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ChatMessage } from '../client/chat-state.ts';
import { Activity } from './activity.tsx';
import { Icon } from './icon.tsx';
import { Message } from './message.tsx';
import { Notice } from './notice.tsx';
import { useFollowing } from './use-following.ts';
import { isBusy, unavailability, type View, type Viewing } from './view.ts';

export function MessageLog({ view }: Viewing) {
  const { state, texts, look, language, actions, voice } = view;
  const messages = withWelcome(view);
  // Before the log is scrolled.
  useLayoutEffect(() => actions?.(state.messages, !isBusy(state) && !state.isHandedOff && !voice?.mount));
  const { log, isAway, hasNews, goToEnd } = useFollowing(view);
  const lastAnswer = messages.findLastIndex(({ from }) => from === 'bot');
  const isHandedOff = state.isHandedOff && <p class="divider">{texts.handedOff}</p>;
  return (
    <>
      <div class="log" ref={log} role="log" aria-live="off" aria-label={texts.messages} tabIndex={0}>
        {state.phase === 'loading' && messages.length === 0 && <div class="skeleton" />}
        {messages.map((message, index) => {
          const previous = messages[index - 1];
          const day = dayOf(message, previous, language);
          const isFirst = previous?.from !== message.from || previous.author !== message.author || !!day;
          return (
            <Fragment key={message.id}>
              {index === lastAnswer + 1 && isHandedOff}
              {day && <p class="divider">{day}</p>}
              <Message
                message={message}
                isFirst={isFirst}
                botName={look?.title ?? ''}
                texts={texts}
                useFiles={view.useFiles}
              />
            </Fragment>
          );
        })}
        {lastAnswer === messages.length - 1 && isHandedOff}
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
  const createdAt = first?.createdAt ?? new Date().toISOString();
  return [
    {
      id: 'welcome',
      from: 'bot',
      text,
      state: 'done',
      citations: [],
      author: null,
      createdAt,
    },
    ...state.messages,
  ];
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

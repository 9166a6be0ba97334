/** @jsxImportSource preact */
import type { ChatState, Activity as Kind } from '../client/chat-state.ts';
import { Icon } from './icon.tsx';
import { fill, type Texts } from './texts.ts';
import type { Viewing } from './view.ts';

/** A message that is on its way will be answered too, unless by a person, who may take hours. */
export function activityOf({ activity, messages, isOnline, isHandedOff, trouble }: ChatState): Kind {
  const isSending = messages.at(-1)?.state === 'sending' && isOnline && !isHandedOff && !trouble;
  return activity === 'none' && isSending ? 'typing' : activity;
}

/** Says who of the team is writing. */
export function typistText({ typist }: ChatState, texts: Texts): string | undefined {
  return typist ? fill(texts.personTyping, typist.name ?? texts.team) : undefined;
}

/** What is shown beside the dots. While the answer is being written they say enough. */
export function activityText(activity: Kind, texts: Texts): string | undefined {
  const shown: Partial<Record<Kind, string>> = { looking: texts.lookingUp, checking: texts.checking };
  return shown[activity];
}

/** Three dots until there is something to read. */
export function Activity({ view: { state, texts } }: Viewing) {
  const activity = activityOf(state);
  const typist = typistText(state, texts);
  const isBeingWritten = state.messages.at(-1)?.state === 'streaming';
  if (!typist && (activity === 'none' || (activity === 'typing' && isBeingWritten))) return null;
  return (
    <div class={`message ${typist ? 'person' : 'bot'} first`} aria-hidden="true">
      <p class="bubble activity">
        <Icon name="more" />
        {typist ?? activityText(activity, texts)}
      </p>
    </div>
  );
}

/** @jsxImportSource preact */
import type { Activity as Kind } from '../client/chat-state.ts';
import { Icon } from './icon.tsx';
import type { Texts } from './texts.ts';
import type { Viewing } from './view.ts';

/** What is shown beside the dots. While the answer is being written they say enough. */
export function activityText(activity: Kind, texts: Texts): string | undefined {
  return { none: undefined, typing: undefined, looking: texts.lookingUp, checking: texts.checking }[activity];
}

/** Three dots until there is something to read. */
export function Activity({ view: { state, texts } }: Viewing) {
  const { activity, messages } = state;
  const isBeingWritten = messages.at(-1)?.state === 'streaming';
  if (activity === 'none' || (activity === 'typing' && isBeingWritten)) return null;
  return (
    <div class="message bot first" aria-hidden="true">
      <p class="bubble activity">
        <Icon name="more" />
        {activityText(activity, texts)}
      </p>
    </div>
  );
}

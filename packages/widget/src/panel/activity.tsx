/** @jsxImportSource preact */
import type { Activity as Kind } from '../client/chat-state.ts';
import type { Texts } from './texts.ts';
import type { Viewing } from './view.ts';

/** What is shown beside the dots. While the answer is being written they say enough. */
export function activityText(activity: Kind, texts: Texts): string | undefined {
  if (activity === 'looking') return texts.lookingUp;
  if (activity === 'checking') return texts.checking;
  return undefined;
}

/** Three dots until there is something to read. */
export function Activity({ view: { state, texts } }: Viewing) {
  const { activity, messages } = state;
  const isBeingWritten = messages.at(-1)?.state === 'streaming';
  if (activity === 'none' || (activity === 'typing' && isBeingWritten)) return null;
  return (
    <div class="message bot first" aria-hidden="true">
      <p class="bubble activity">
        <span class="dots" />
        {activityText(activity, texts)}
      </p>
    </div>
  );
}

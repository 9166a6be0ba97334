/** @jsxImportSource preact */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { activityOf, activityText, typistText } from './activity.tsx';
import type { Viewing } from './view.ts';

/** Tells screen readers that an answer is coming, and then each finished message once, instead of every piece of it. */
export function Announcer({ view: { state, texts, isOpen } }: Viewing) {
  const { messages, phase, isOnline } = state;
  const element = useRef<HTMLParagraphElement>(null);
  const known = useRef<string[]>(undefined);
  const finished = messages
    .slice(messages.findLastIndex(({ from }) => from === 'visitor') + 1)
    .filter((message) => message.state !== 'streaming')
    .map(({ id }) => id);
  const activity = activityOf(state);
  const ofBot = activity === 'none' ? '' : (activityText(activity, texts) ?? texts.typing);
  const busy = typistText(state, texts) ?? ofBot;
  const progress = phase === 'loading' ? texts.loading : busy;
  const status = isOnline ? progress : texts.offline;

  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const bubbles = finished
      .filter((id) => known.current?.includes(id) === false)
      .map((id) => (current.getRootNode() as ShadowRoot).getElementById(id)?.innerText);
    // What was there when the panel was opened, or when the history had been read, is not announced.
    known.current = isOpen && phase !== 'loading' ? finished : undefined;
    current.textContent = [...bubbles, status].join(' ').trim();
  }, [finished.join(), status, isOpen, phase]);

  return <p ref={element} class="hidden" role="status" />;
}

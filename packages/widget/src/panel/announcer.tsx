/** @jsxImportSource preact */

import { activityOf, activityText } from './activity.tsx';
import { useLayoutEffect, useRef, useState } from './component-hooks.ts';
import type { Viewing } from './view.ts';

/** Tells screen readers that an answer is coming, and then the whole answer once, instead of every piece of it. */
export function Announcer({ view }: Viewing) {
  const { state, texts, isOpen } = view;
  const element = useRef<HTMLParagraphElement>(null);
  const announced = useRef<string>(undefined);
  const [answer, setAnswer] = useState('');
  const last = state.messages.at(-1);
  const finished = last && last.from !== 'visitor' && last.state !== 'streaming' ? last.id : undefined;
  const isNew = useRef(false);

  useLayoutEffect(() => {
    const isNews = finished && isNew.current && finished !== announced.current;
    const panel = element.current?.closest('.panel');
    const text = isNews ? panel?.querySelector<HTMLElement>(`[id="${finished}"]`)?.innerText : '';
    announced.current = finished;
    // What was there when the panel was opened, or when the history had been read, is not announced.
    isNew.current = isOpen && state.phase !== 'loading';
    setAnswer(text ?? '');
  }, [finished, isOpen, state.phase]);

  const activity = activityOf(state);
  const busy = activity === 'none' ? undefined : (activityText(activity, texts) ?? texts.typing);
  const progress = state.phase === 'loading' ? texts.loading : busy;
  return (
    <p ref={element} class="hidden" role="status">
      {progress ?? answer}
    </p>
  );
}

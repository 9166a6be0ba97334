import type { FullEvent } from '@svc/client/conversation';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLiveSource } from './live-context.ts';

export interface ConversationEventOptions {
  /** The last event that is known, by its number: later ones are sent. Undefined: those of the unfinished turn. */
  after?: number | undefined;
  /** False while the conversation is still being read. */
  isEnabled?: boolean;
  /**
   * Events in their order, without gaps or duplicates of numbered ones, at most one batch per painted frame. After a lost
   * connection they continue where they stopped. `stream.gap`: events were removed, so the conversation has to be read again.
   */
  onEvents(events: readonly FullEvent[]): void;
}

/** Follows the events of a conversation. Returns why it cannot be followed any more, such as NOT_FOUND. */
export function useConversationEvents(
  conversationId: string | undefined,
  { after, isEnabled = true, onEvents }: ConversationEventOptions,
): { code: string; message: string } | undefined {
  const { followed } = useLiveSource();
  const [problem, setProblem] = useState<{ code: string; message: string }>();
  const deliver = useEffectEvent(onEvents);
  // Only the position at the beginning counts: what is received later moves it.
  const startAfter = useEffectEvent(() => after);
  useEffect(() => {
    if (conversationId === undefined || !isEnabled) return;
    setProblem(undefined);
    const frames = perFrame<FullEvent>((events) => deliver(events));
    const unfollow = followed.follow(conversationId, startAfter(), {
      onEvents: frames.add,
      onEnd: setProblem,
    });
    return () => {
      unfollow();
      frames.cancel();
    };
  }, [conversationId, isEnabled, followed]);
  return problem;
}

/** Collects items until the next frame is painted. Hidden pages paint none, so they get theirs after a moment. */
function perFrame<Item>(flush: (items: readonly Item[]) => void) {
  let items: Item[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function run(): void {
    cancel();
    const batch = items;
    items = [];
    if (batch.length > 0) flush(batch);
  }
  function cancel(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    timer = undefined;
  }
  return {
    add(added: readonly Item[]): void {
      items.push(...added);
      if (timer !== undefined) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, 200);
    },
    cancel,
  };
}

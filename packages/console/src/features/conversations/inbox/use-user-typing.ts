import type { FullEvent } from '@svc/client/conversation';
import { typingMilliseconds } from '@svc/contract/live';
import { useCallback, useEffect, useRef, useState } from 'react';

/** Whether the user of a conversation is writing a message, by its events. */
export function useUserTyping() {
  const [isTyping, setTyping] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const note = useCallback((events: readonly FullEvent[]) => {
    for (const { type, data } of events) {
      const isSent = type === 'turn.started';
      if (!isSent && !(type === 'message.typing' && data.role === 'user')) continue;
      clearTimeout(timer.current);
      setTyping(!isSent);
      if (!isSent) timer.current = setTimeout(() => setTyping(false), 2 * typingMilliseconds);
    }
  }, []);
  return { isTyping, note };
}

import type { Looker } from '@svc/contract/live';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLiveSource } from './live-context.ts';
import type { Look } from './looking.ts';

export interface Lookers {
  /** The other members who have the conversation open. */
  others: readonly Looker[];
  /** The member writes a reply to the user, or has stopped. */
  onTyping(isTyping: boolean): void;
}

/** Tells the other members that this one has a followed conversation open, and learns who else does. */
export function useLookers(conversationId: string): Lookers {
  const { looking } = useLiveSource();
  const [others, setOthers] = useState<readonly Looker[]>([]);
  const own = useRef<Look>(undefined);
  useEffect(() => {
    const look = looking.look(conversationId, setOthers);
    own.current = look;
    return () => {
      look.end();
      own.current = undefined;
      setOthers([]);
    };
  }, [conversationId, looking]);
  return useMemo(() => ({ others, onTyping: (isTyping) => own.current?.type(isTyping) }), [others]);
}

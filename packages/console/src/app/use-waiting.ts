import { useEffect } from 'react';
import { type Waiting, waitingQuery } from '../api/overview.ts';
import { setWaitingCount } from './waiting-count.ts';
import { useRead } from './workspace.tsx';

const nothing: Waiting = { approvals: 0, handoffs: 0 };

/** What waits for a person in this workspace. */
export function useWaiting(): Waiting {
  const { data = nothing } = useRead(waitingQuery);
  const total = data.approvals + data.handoffs;
  useEffect(() => setWaitingCount(total), [total]);
  return data;
}

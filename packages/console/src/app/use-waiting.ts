import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Waiting, waitingQuery } from '../api/overview.ts';
import { setWaitingCount } from './waiting-count.ts';
import { useWorkspace } from './workspace.tsx';

const nothing: Waiting = { approvals: 0, handoffs: 0 };

/** What waits for a person in this workspace. */
export function useWaiting(): Waiting {
  const { api } = useWorkspace();
  const { data = nothing } = useQuery(waitingQuery(api));
  const total = data.approvals + data.handoffs;
  useEffect(() => setWaitingCount(total), [total]);
  return data;
}

import { useMutation } from '@tanstack/react-query';
import { stopTurn } from '../../api/conversation.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';

/** Stops what is running in a conversation. */
export function useStop({ id, status }: { id: string; status: string }) {
  const { api, can } = useWorkspace();
  const { mutate, isPending, error } = useMutation({ mutationFn: () => stopTurn(api, id) });
  const canStop = can('operator') && (status === 'running' || status === 'paused');
  return {
    canStop,
    isStopping: isPending,
    error,
    stop: () => {
      if (canStop && !isPending) mutate();
    },
  };
}

export type Stop = ReturnType<typeof useStop>;

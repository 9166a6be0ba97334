import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation } from '@tanstack/react-query';
import { stopTurn } from '../../api/conversations.ts';
import { endCall } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { isOpen } from '../voice/call-texts.ts';

/** Stops what is running in a conversation; a call as a whole. */
export function useStop({ id, status, call }: Pick<ConsoleConversation, 'id' | 'status' | 'call'>) {
  const { api, can } = useWorkspace();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => void (await (call ? endCall(api, id) : stopTurn(api, id))),
  });
  const isRunning = call ? isOpen(call) : status === 'running' || status === 'paused';
  const canStop = can('operator') && isRunning;
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

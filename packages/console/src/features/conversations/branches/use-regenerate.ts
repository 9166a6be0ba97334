import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation } from '@tanstack/react-query';
import { regenerate } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';

/** Has a message answered again. */
export function useRegenerate({ id }: Pick<ConsoleConversation, 'id'>) {
  const { api } = useWorkspace();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (messageId: string) => regenerate(api, id, messageId),
  });
  return {
    error,
    regenerate: (messageId: string) => {
      if (!isPending) mutate(messageId);
    },
  };
}

/** Whether the reader may have messages answered again. The service says so itself where that is not possible at the moment. */
export function useCanBranch({ channel, needs_human: needsHuman }: ConsoleConversation): boolean {
  const { can } = useWorkspace();
  return can('operator') && rulesOf(channel).hasBranches && needsHuman === null;
}

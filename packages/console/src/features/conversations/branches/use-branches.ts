import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation } from '@tanstack/react-query';
import { chooseBranch, regenerate } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';

type BranchAct = { regenerate: string } | { choose: string };

/** Has a message answered again, or goes back to what was said before. */
export function useBranches({ id }: Pick<ConsoleConversation, 'id'>) {
  const { api } = useWorkspace();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (act: BranchAct) => {
      if ('choose' in act) await chooseBranch(api, id, act.choose);
      else await regenerate(api, id, act.regenerate);
    },
  });
  const run = (act: BranchAct) => {
    if (!isPending) mutate(act);
  };
  return {
    error,
    regenerate: (messageId: string) => run({ regenerate: messageId }),
    choose: (branchId: string) => run({ choose: branchId }),
  };
}

/** Whether the reader may have messages answered again. The service says so itself where that is not possible at the moment. */
export function useCanBranch({ channel, needs_human: needsHuman }: ConsoleConversation): boolean {
  const { can } = useWorkspace();
  return can('operator') && rulesOf(channel).hasBranches && needsHuman === null;
}

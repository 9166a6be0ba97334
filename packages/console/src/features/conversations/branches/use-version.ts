import { fullStateOf } from '@svc/client/full-conversation';
import type { Branch } from '@svc/contract/branches';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { branchQuery, type ConversationState } from '../../../api/conversations.ts';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';

/** What the conversation was with a branch that is put aside. */
export interface Version {
  branch: Branch;
  state: ConversationState;
}

/** The version of the conversation that the address names and the user does not see; undefined if that is none. */
export function useVersion({ conversation }: ConversationState) {
  const { api } = useWorkspace();
  const [{ branch: named }, setSearch] = useSearchState();
  const { branches } = conversation;
  const isInForce = (branch: Branch) =>
    conversation.messages.some(({ id }) => id === branch.first_message_id);
  const wanted = branches.find((branch) => branch.id === named && !isInForce(branch));
  // Until another version is read, the one before it stays.
  const { data, error, refetch } = useQuery({
    ...branchQuery(api, conversation.id, wanted?.id),
    placeholderData: keepPreviousData,
  });
  const branch = wanted && branches.find(({ id }) => id === data?.branchId);
  const state = useMemo(() => {
    if (!data) return undefined;
    // What the bot does now, it does not do here.
    const then = { ...data.conversation, branches, status: 'idle' as const };
    return fullStateOf(then, then.last_event_id);
  }, [data, branches]);

  const show = (chosen?: Branch) => {
    const id = chosen && !isInForce(chosen) ? chosen.id : undefined;
    setSearch({ branch: id, message: undefined }, { push: true });
  };
  // It was removed, or the user sees it now: should it be put aside again, nobody has asked for it.
  const isOver = named !== undefined && !wanted;
  const leave = useEffectEvent(() => setSearch({ branch: undefined }));
  useEffect(() => {
    if (isOver) leave();
  }, [isOver]);

  const version: Version | undefined = branch && state && { branch, state };
  return { version, show, error: wanted ? error : null, retry: () => void refetch() };
}

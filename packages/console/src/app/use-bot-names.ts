import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.ts';
import { useWorkspace } from './workspace.tsx';

/** The names of bots by id, while they are known. */
export function useBotNames(): (botId: string) => string {
  const { api } = useWorkspace();
  const bots = useQuery(botsQuery(api));
  const names = new Map(bots.data?.map(({ id, name }) => [id, name]));
  return (botId) => names.get(botId) ?? (bots.isPending ? '…' : 'a bot');
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { botVersionsQuery } from '../../../api/bots.ts';
import { membersQuery } from '../../../api/members.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';

/** The names of current members by their ids; undefined until they are known. */
export function useMemberNames(): ReadonlyMap<string, string> | undefined {
  const members = useRead(membersQuery);
  return members.data && new Map(members.data.map(({ id, name }) => [id, name]));
}

/** The author of a version, to begin a sentence with. */
export function useSavedBy(botId: string, number: number): string {
  const { api, user } = useWorkspace();
  const names = useMemberNames();
  const versions = useInfiniteQuery(botVersionsQuery(api, botId));
  const version = versions.data?.pages.flatMap(({ items }) => items).find((one) => one.number === number);
  if (!version || !names) return 'Somebody';
  if (version.created_by === user.id) return 'You, in another window,';
  return names.get(version.created_by ?? '') ?? 'An API key or a former member';
}

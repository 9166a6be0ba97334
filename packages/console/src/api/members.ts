import type {
  ConsoleWorkspace,
  Invitation,
  InvitationCreate,
  Member,
  MemberHolding,
  NewInvitation,
} from '@svc/contract/console-session';
import type { AccountKey, AccountKeyCreate, CreatedAccountKey } from '@svc/contract/keys';
import type { Role } from '@svc/contract/roles';
import { queryOptions } from '@tanstack/react-query';
import { type Api, keys, readQuery } from './client.ts';

export const membersQuery = (api: Api) =>
  readQuery<Member[]>(api, keys.list(api, 'member'), '/api/console/members');

/** What a member has made; `is_revoked` is for a new role, or for their removal. */
export const holdingsQuery = (api: Api, memberId: string, role?: Role) =>
  queryOptions({
    // Not stored with the member, or it would be read again when the member is gone.
    queryKey: keys.one(api, 'key', memberId, 'holdings', { role }),
    queryFn: ({ signal }) =>
      api.get<MemberHolding[]>(`/api/console/members/${memberId}/holdings`, { role }, signal),
    staleTime: 0,
  });

export const changeRole = (api: Api, memberId: string, role: Role) =>
  api.patch<Member>(`/api/console/members/${memberId}`, { role });

export const removeMember = (api: Api, memberId: string) => api.delete(`/api/console/members/${memberId}`);

export const invitationsQuery = (api: Api) =>
  readQuery<Invitation[]>(api, keys.list(api, 'invitation'), '/api/console/invitations');

export const invite = (api: Api, body: InvitationCreate) =>
  api.post<NewInvitation>('/api/console/invitations', body);

export const revokeInvitation = (api: Api, id: string) => api.delete(`/api/console/invitations/${id}`);

export const renameWorkspace = (api: Api, name: string) =>
  api.patch<ConsoleWorkspace>('/api/console/workspace', { name });

export const accountKeysQuery = (api: Api) =>
  readQuery<AccountKey[]>(api, keys.list(api, 'key'), '/api/v1/keys');

export const createKey = (api: Api, body: Pick<AccountKeyCreate, 'name' | 'abilities' | 'expires_at'>) =>
  api.post<CreatedAccountKey>('/api/v1/keys', body);

export const revokeKey = (api: Api, id: string) => api.delete(`/api/v1/keys/${id}`);

import type { EndUserDetails, EndUserDetailsUpdate } from '@svc/contract/end-user-details';
import { type Api, keys, readQuery } from './client.ts';

const pathOf = (externalUserId: string) => `/api/v1/end-users/${encodeURIComponent(externalUserId)}`;

/** Read again with every message of theirs: see `features/conversations/user-card.tsx`. */
export const endUserQuery = (api: Api, externalUserId: string) =>
  readQuery<EndUserDetails>(api, keys.one(api, 'end_user', externalUserId), pathOf(externalUserId));

export const updateEndUser = (api: Api, externalUserId: string, change: EndUserDetailsUpdate) =>
  api.patch(pathOf(externalUserId), change);

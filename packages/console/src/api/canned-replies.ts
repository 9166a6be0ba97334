import type { CannedReply, CannedReplyCreate } from '@svc/contract/canned-replies';
import { type Api, keys, readQuery } from './client.ts';

export const cannedRepliesQuery = (api: Api) =>
  readQuery<CannedReply[]>(api, keys.list(api, 'canned_reply'), '/api/v1/canned-replies');

export const createCannedReply = (api: Api, reply: CannedReplyCreate) =>
  api.post<{ id: string }>('/api/v1/canned-replies', reply);

export const updateCannedReply = (api: Api, id: string, reply: CannedReplyCreate) =>
  api.put(`/api/v1/canned-replies/${id}`, reply);

export const deleteCannedReply = (api: Api, id: string) => api.delete(`/api/v1/canned-replies/${id}`);

import type { LegalHold, LegalHoldCreate } from '@svc/contract/legal-holds';
import type { Retention, RetentionPreview, RetentionUpdate } from '@svc/contract/retention';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, keys, readQuery } from './client.ts';

export const retentionQuery = (api: Api) => ({
  ...readQuery<Retention>(api, keys.all(api, 'retention'), '/api/v1/retention'),
  staleTime: 0,
});

/** What these settings would delete now. */
export const retentionPreviewQuery = (api: Api, proposal: RetentionUpdate | undefined) =>
  queryOptions({
    queryKey: keys.all(api, 'retention', { preview: JSON.stringify(proposal) }),
    queryFn: ({ signal }) => previewRetention(api, proposal ?? {}, signal),
    enabled: proposal !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const previewRetention = (api: Api, proposal: Partial<RetentionUpdate>, signal?: AbortSignal) =>
  api.post<RetentionPreview>('/api/v1/retention/preview', proposal, { signal });

export const replaceRetention = (api: Api, update: RetentionUpdate) =>
  api.put<Retention>('/api/v1/retention', update);

export const legalHoldsQuery = (api: Api) =>
  readQuery<LegalHold[]>(api, keys.list(api, 'legal_hold'), '/api/v1/legal-holds');

export const placeLegalHold = (api: Api, hold: LegalHoldCreate) =>
  api.post<LegalHold>('/api/v1/legal-holds', hold);

export const releaseLegalHold = (api: Api, id: string) => api.delete(`/api/v1/legal-holds/${id}`);

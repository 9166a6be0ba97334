import type {
  EmbedCode,
  IdentitySecret,
  WidgetCustomization,
  WidgetCustomizationUpdate,
  WidgetKey,
  WidgetKeyCreate,
  WidgetKeyUpdate,
  WidgetSummary,
} from '@svc/contract/widgets';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from './client.ts';
import { keys } from './keys.ts';

const path = '/api/v1/widgets';

/** The keys of one bot. */
export const widgetKeysQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.list(api.workspaceId, 'widget', { bot_id: botId }),
    queryFn: ({ signal }) => api.get<WidgetKey[]>(`${path}/keys`, { bot_id: botId }, signal),
  });

export const customizationQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.one(api.workspaceId, 'widget', botId, 'look'),
    queryFn: ({ signal }) => api.get<WidgetCustomization>(`${path}/customization`, { bot_id: botId }, signal),
  });

/** A key for the preview. It works for a day, on pages of the service only. */
export const testKeyQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.one(api.workspaceId, 'widget', botId, 'test-key'),
    queryFn: () => api.post<WidgetKey>(`${path}/test-key?bot_id=${botId}`),
    staleTime: 60 * 60_000,
  });

export const embedCodeQuery = (api: Api, botId: string, keyId: string) =>
  queryOptions({
    queryKey: keys.one(api.workspaceId, 'widget', botId, 'embed-code', keyId),
    queryFn: ({ signal }) =>
      api.get<EmbedCode>(`${path}/embed-code`, { bot_id: botId, api_key_id: keyId }, signal),
  });

export const saveLook = (api: Api, body: WidgetCustomizationUpdate) =>
  api.put<WidgetCustomization>(`${path}/customization`, body);

export const createWidgetKey = (api: Api, body: WidgetKeyCreate) => api.post<WidgetKey>(`${path}/keys`, body);

export const updateWidgetKey = (api: Api, id: string, body: WidgetKeyUpdate) =>
  api.patch<WidgetKey>(`${path}/keys/${id}`, body);

export const revokeWidgetKey = (api: Api, id: string) => api.delete(`${path}/keys/${id}`);

export const createIdentitySecret = (api: Api, id: string) =>
  api.post<IdentitySecret>(`${path}/keys/${id}/identity-secret`);

export const deleteIdentitySecret = (api: Api, id: string) =>
  api.delete(`${path}/keys/${id}/identity-secret`);

export const widgetSummariesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.list(api.workspaceId, 'widget'),
    queryFn: ({ signal }) => api.get<WidgetSummary[]>('/api/console/widgets', {}, signal),
  });

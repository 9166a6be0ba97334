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
import { type Api, keys, readQuery } from './client.ts';

const path = '/api/v1/widgets';

/** The keys of one bot. */
export const widgetKeysQuery = (api: Api, botId: string) =>
  readQuery<WidgetKey[]>(api, keys.list(api, 'widget', { bot_id: botId }), `${path}/keys`, { bot_id: botId });

export const customizationQuery = (api: Api, botId: string) =>
  readQuery<WidgetCustomization>(api, keys.one(api, 'widget', botId, 'look'), `${path}/customization`, {
    bot_id: botId,
  });

/** A key for the preview. It works for a day, on pages of the service only. */
export const testKeyQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.one(api, 'widget', botId, 'test-key'),
    queryFn: () => api.post<WidgetKey>(`${path}/test-key?bot_id=${botId}`),
    staleTime: 60 * 60_000,
  });

export const embedCodeQuery = (api: Api, botId: string, keyId: string) =>
  readQuery<EmbedCode>(api, keys.one(api, 'widget', botId, 'embed-code', keyId), `${path}/embed-code`, {
    bot_id: botId,
    api_key_id: keyId,
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
  readQuery<WidgetSummary[]>(api, keys.list(api, 'widget'), '/api/console/widgets');

import type { PlaceCall, PlacedCall } from '@svc/contract/calls';
import type { VoiceReport } from '@svc/contract/console-voice';
import type { ConversationDetail } from '@svc/contract/conversations';
import type { VoiceCatalog } from '@svc/contract/voice';
import type { VoiceNumber, VoiceNumberCreate, VoiceNumberUpdate } from '@svc/contract/voice-numbers';
import { queryOptions } from '@tanstack/react-query';
import { stringifySearch } from '../format/search-params.ts';
import { type Api, keys, readQuery } from './client.ts';

const path = '/api/v1/voice';

export const voiceQuery = (api: Api) =>
  readQuery<VoiceReport>(api, keys.all(api, 'voice', { view: 'report' }), '/api/console/voice');

export const numbersQuery = (api: Api) =>
  readQuery<VoiceNumber[]>(api, keys.list(api, 'number'), `${path}/numbers`);

export const catalogQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.all(api, 'voice', { view: 'catalog' }),
    queryFn: async ({ signal }) => (await api.get<VoiceCatalog>(`${path}/catalog`, {}, signal)).voices,
    staleTime: 5 * 60_000,
  });

export const addNumber = (api: Api, body: VoiceNumberCreate) =>
  api.post<{ id: string }>(`${path}/numbers`, body);

export const updateNumber = (api: Api, id: string, body: VoiceNumberUpdate) =>
  api.put(`${path}/numbers/${id}`, body);

export const deleteNumber = (api: Api, id: string) => api.delete(`${path}/numbers/${id}`);

/** A spoken sentence of a voice, as audio. */
export async function readSample(api: Api, voice: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const query = { voice };
  const answer = await api.send('GET', `${path}/catalog/sample`, { query, signal, accept: 'audio/*' });
  return answer.arrayBuffer();
}

export const placeCall = (api: Api, body: PlaceCall) => api.post<PlacedCall>('/api/v1/calls', body);

/** For a player, which sends no headers. */
export const recordingUrl = (api: Api, callId: string) =>
  `/api/v1/calls/${callId}/recording${stringifySearch({ workspace: api.workspaceId })}`;

export const endCall = (api: Api, id: string) => api.post(`/api/console/voice/calls/${id}/end`);

/** A call by itself, to follow it while it lasts. */
export const callQuery = (api: Api, id: string) =>
  readQuery<ConversationDetail>(
    api,
    keys.one(api, 'conversation', id, 'call'),
    `/api/v1/conversations/${id}`,
  );

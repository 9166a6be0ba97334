import type { LimitChanges } from '../../packages/server/src/workspaces/workspaces.service.ts';
import type { Place } from './place.ts';

/** Something that one workspace does to the service. Resolves when it is under way, with what ends it. */
export interface Flood {
  title: string;
  /** What an operator has set for the workspace that floods, beside the defaults. */
  limits?: LimitChanges;
  begin(place: Place): Promise<() => Promise<void>>;
}

const readers = 2_000;
const sources = 200;

export const floods: Record<string, Flood> = {
  requests: {
    title: 'another workspace asks for its bots over 64 connections, 600 times a minute allowed',
    limits: { requests_per_minute: 600 },
    begin: (place) => asking(place, { path: '/api/v1/bots', connections: 64 }),
  },
  'requests-unlimited': {
    title: 'another workspace asks for its bots over 64 connections, as often as it likes',
    begin: (place) => asking(place, { path: '/api/v1/bots', connections: 64 }),
  },
  streams: {
    title: `another workspace follows ${readers} conversations`,
    async begin({ url, flooder: { generator, headers, conversationId } }) {
      const path = `/api/v1/chat/stream?conversation_id=${conversationId}`;
      const paths = Array.from({ length: readers }, () => path);
      await generator.run({ kind: 'open-readers', url, headers, paths });
      return async () => void (await generator.run({ kind: 'close-readers' }));
    },
  },
  turns: {
    title:
      'another workspace sends messages over 200 connections, to a model that writes for a second, 20 turns allowed',
    limits: { turns: 20 },
    begin: (place) => {
      const message = { message: 'Hello', external_user_id: 'flood', new_conversation: true };
      const body = { ...message, bot_id: place.flooder.botId };
      return asking(place, { path: '/api/v1/chat/send-stream', body, connections: 200 });
    },
  },
  hosts: {
    title: `another workspace adds ${sources} pages of a host that never answers`,
    begin: (place) => addPages(place, (index) => `${place.silentUrl}/${index}`),
  },
  names: {
    title: `another workspace adds ${sources} pages of hosts whose name server never answers`,
    begin: (place) => addPages(place, (index) => `http://host-${index}.slow.test/`),
  },
};

async function asking(
  { url, flooder: { generator, headers } }: Place,
  { path, ...load }: { path: string; body?: object; connections: number },
): Promise<() => Promise<void>> {
  await generator.run({ kind: 'begin-requests', url: url + path, headers, ...load });
  return async () => void (await generator.run({ kind: 'end-requests' }));
}

/** They stay: what waits for a host, or its name, waits longer than a round takes. */
async function addPages({ post }: Place, urlOf: (index: number) => string): Promise<() => Promise<void>> {
  for (let index = 0; index < sources; index += 1) {
    await post('/api/v1/knowledge', { content_type: 'url', url: urlOf(index) });
  }
  return async () => undefined;
}

import { isEventName } from '@svc/contract/event-names';
import type { ConversationEvent } from '@svc/contract/events';
import { createParser } from 'eventsource-parser';

/** An event as it comes from the service. Those without an id are previews and are never sent again. */
export type ServerEvent = ConversationEvent & { id: number | undefined };

/** Far more than the service ever sends in one event. */
const maxEventCharacters = 64 * 1024 * 1024;

/** Events from the bytes of a stream. An event without its final blank line is dropped: the service sends it again. */
export async function* readServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let events: ServerEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent({ id, event, data }) {
      // A newer service may send events that this client does not know.
      if (event === undefined || !isEventName(event)) return;
      events.push({ id: id === undefined ? undefined : Number(id), type: event, data: JSON.parse(data) });
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  for await (const chunk of body) {
    events = [];
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events;
  }
}

import { isEventName } from '@svc/contract/event-names';
import type { ConversationEvent } from '@svc/contract/events';

/** An event as it comes from the service. Those without an id are previews and are never sent again. */
export type ServerEvent = ConversationEvent & { id: number | undefined };

/**
 * Events from the bytes of a stream. The reader of the model providers' streams knows no ids and no names, and counts an
 * event that was cut off: here one without its blank line never happened, and comes again.
 */
export async function* readServerEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let kept = '';
  for await (const chunk of body) {
    const blocks = (kept + decoder.decode(chunk, { stream: true })).split('\n\n');
    kept = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    fields.set(name, value);
  }
  const type = fields.get('event');
  const data = fields.get('data');
  if (type === undefined || data === undefined) return undefined; // A comment that keeps the connection open.
  if (!isEventName(type)) return undefined; // A newer service may send more than we know.
  const id = fields.get('id');
  return { id: id === undefined ? undefined : Number(id), type, data: JSON.parse(data) };
}

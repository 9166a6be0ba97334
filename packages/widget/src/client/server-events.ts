import type { EndUserDurableEvent, EndUserLiveEvent } from '@svc/contract/end-user-events';

/** An event of a conversation. Those without an id are previews and are never sent again. */
export type ServerEvent = (EndUserDurableEvent | EndUserLiveEvent) & { id: number | undefined };

/** JSON may contain U+2028, which ends a line for a dot without `s`. */
const fieldPattern = /^(\w+): ?(.*)$/s;

/**
 * Calls back for every event of a stream, until the stream ends or the callback returns true. An event that is cut off is dropped:
 * the service sends it again.
 */
export async function readServerEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => boolean | undefined,
  onBytes?: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unfinished = '';
  let fields: Record<string, string> = {};
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes?.();
    const lines = (unfinished + decoder.decode(value, { stream: true })).split(/\r?\n/);
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const [, name, text] = fieldPattern.exec(line) ?? [];
      if (name) fields[name] = text ?? '';
      else if (line === '') {
        const { id, event: type, data } = fields;
        fields = {};
        if (!data) continue;
        const event = { id: id ? Number(id) : undefined, type, data: JSON.parse(data) } as ServerEvent;
        if (onEvent(event)) return reader.cancel();
      }
    }
  }
}

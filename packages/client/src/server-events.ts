/** An event of a stream. Those without an id are not stored and are never sent again. */
export interface ServerEvent {
  id: number | undefined;
  type: string;
  data: unknown;
}

/** Far more than the service ever sends in one event. */
const maxCharacters = 64 * 2 ** 20;

/**
 * Reads server-sent events: one batch for each piece that arrives, empty for comments, which show that the connection works. To
 * resume, send the id of the last event as `Last-Event-ID`. An event that is cut off is dropped, because the service sends it again.
 */
export async function* readServerEvents<Event = ServerEvent>(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Event[]> {
  const reader = body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let line = '';
  let endsWithCr = false;
  let id: number | undefined;
  let type = '';
  let data: string[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      // CR and LF end one line, even if they arrive separately.
      const lines = (endsWithCr ? text.replace(/^\n/, '') : text).split(/\r\n?|\n/);
      if (text) endsWithCr = text.endsWith('\r');
      lines[0] = line + lines[0];
      line = lines.pop() ?? '';
      const events: Event[] = [];
      for (const each of lines) {
        const [, name, content = ''] = /^([^:]+):? ?(.*)/s.exec(each) ?? [];
        size += each.length;
        if (name === 'id') id = /^\d+$/.test(content) ? Number(content) : undefined;
        if (name === 'event') type = content;
        if (name === 'data') data.push(content);
        if (each) continue;
        const json = data.join('\n');
        if (json) events.push({ id, type: type || 'message', data: JSON.parse(json) } as Event);
        id = undefined;
        type = '';
        data = [];
        size = 0;
      }
      if (size + line.length > maxCharacters) throw new RangeError('An event is too long.');
      yield events;
    }
  } finally {
    // Closes the connection of a reader that stops early. One that failed has already been reported by `read`.
    await reader.cancel().catch(() => undefined);
  }
}

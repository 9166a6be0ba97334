/** An event of a stream. Those that are stored have a number. */
export interface ServerEvent {
  event: string;
  id: number | null;
  data: unknown;
}

/** Reads server-sent events from the body of an answer as they arrive, in batches. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent[]> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of chunksOf(response.body)) {
    const { events, rest: unfinished } = parseEvents(rest + decoder.decode(bytes, { stream: true }));
    rest = unfinished;
    if (events.length > 0) yield events;
  }
}

/** Not every browser can iterate over a stream. The connection is closed when the reader stops early. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // A reader who has seen enough would otherwise keep the connection, of which a browser has only a few. Whoever reads already
    // knows of a stream that failed.
    await reader.cancel().catch(() => undefined);
  }
}

/** The whole events in a text, and what follows the last of them. */
export function parseEvents(text: string): { events: ServerEvent[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.flatMap((block) => parseEvent(block) ?? []), rest };
}

function parseEvent(block: string): ServerEvent | undefined {
  let event = 'message';
  let id: number | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    // JSON may contain U+2028, which ends a line for a dot without `s`.
    const [, name, value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'id') id = Number(value);
    else if (name === 'data') data.push(value);
  }
  return data.length > 0 ? { event, id, data: JSON.parse(data.join('\n')) } : undefined;
}

import type { ReadEvent } from './reader.ts';

export interface ClientView {
  /** The events of the log, in order of arrival. */
  durable: ReadEvent[];
  /** The id to resume after. */
  lastId(): number | undefined;
  /** Unfinished messages as a client would show them. */
  previews: Map<string, string>;
  /** Previews that the service retracted. */
  retracted: Set<string>;
  /** Every way in which the stream broke the contract. */
  faults: string[];
  apply(event: ReadEvent): void;
}

/**
 * A client that follows the contract to the letter, over any number of connections: it drops deltas below what it
 * knows, a snapshot replaces, and the completed message decides. Violations are recorded.
 */
export function createClientView(): ClientView {
  const durable: ReadEvent[] = [];
  const previews = new Map<string, string>();
  const retracted = new Set<string>();
  const faults: string[] = [];
  const lastId = () => durable.at(-1)?.id;

  function applyDelta({
    message_id: id,
    offset,
    text,
  }: {
    message_id: string;
    offset: number;
    text: string;
  }) {
    if (retracted.has(id)) faults.push(`a delta of ${id}, which was taken back`);
    const known = previews.get(id) ?? '';
    if (offset > known.length) faults.push(`a hole in ${id}: ${known.length} known, delta at ${offset}`);
    const overlap = known.slice(offset, offset + text.length);
    if (!text.startsWith(overlap)) faults.push(`a delta of ${id} contradicts at ${offset}`);
    if (offset + text.length > known.length) previews.set(id, known.slice(0, offset) + text);
  }

  function applySnapshot({ message_id: id, text }: { message_id: string; text: string }) {
    const known = previews.get(id) ?? '';
    if (text === '') retracted.add(id);
    else if (!text.startsWith(known)) faults.push(`a snapshot of ${id} contradicts its deltas`);
    if (text === '') previews.delete(id);
    else previews.set(id, text);
  }

  function applyCompleted({ id, content }: { id: string; content: string }) {
    const known = previews.get(id) ?? '';
    if (!content.startsWith(known)) faults.push(`the preview of ${id} is not a beginning of its message`);
    previews.delete(id);
  }

  return {
    durable,
    lastId,
    previews,
    retracted,
    faults,
    apply(event) {
      if (event.event === 'message.delta') applyDelta(event.data);
      if (event.event === 'stream.snapshot') applySnapshot(event.data);
      if (event.event === 'stream.gap') faults.push('a gap');
      if (event.event === 'message.completed') applyCompleted(event.data.message);
      if (event.id === undefined) return;
      if (event.id !== (lastId() ?? 0) + 1) faults.push(`event ${event.id} came after ${lastId()}`);
      durable.push(event);
    },
  };
}

/** The log of `chat/events`, in the shape that readers receive. */
export function asRead(log: { id: number; event: string; data: unknown }[]): ReadEvent[] {
  return log.map(({ id, event, data }) => ({ id, event, data }));
}

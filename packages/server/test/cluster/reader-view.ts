import type { ReadEvent } from '../support/faults/reader.ts';

/** What one reader knows, over any number of connections. */
export interface ReaderView {
  /** The events of the log, in order of arrival. */
  durable: ReadEvent[];
  /** Ranges that the service declared as removed. */
  gaps: { from: number; to: number }[];
  /** The id to resume after. */
  lastId(): number | undefined;
  /** Unfinished messages as the reader would show them. */
  previews: ReadonlyMap<string, string>;
  /** How many deltas and snapshots arrived. */
  previewCount(): number;
  /** Every way in which the streams broke the contract. */
  faults: string[];
  /** The next events arrive on a new connection. */
  reconnect(): void;
  apply(event: ReadEvent): void;
}

const turnEnds = ['turn.completed', 'turn.interrupted', 'turn.failed'];

/**
 * A reader that follows docs/streaming.md to the letter and records every violation. `ofTurn` is for send-stream, which
 * skips the events of other turns.
 */
export function createReaderView({ ofTurn }: { ofTurn: boolean }): ReaderView {
  const durable: ReadEvent[] = [];
  const gaps: ReaderView['gaps'] = [];
  const faults: string[] = [];
  const previews = new Map<string, string>();
  /** How much of each unfinished message this connection has sent. */
  let sentHere = new Map<string, number>();
  const completed = new Set<string>();
  const retracted = new Set<string>();
  let last: number | undefined = ofTurn ? undefined : 0;
  let previewCount = 0;

  function applyDelta({
    message_id: id,
    offset,
    text,
  }: {
    message_id: string;
    offset: number;
    text: string;
  }) {
    previewCount += 1;
    if (completed.has(id)) return void faults.push(`a delta of ${id} after its message was complete`);
    if (retracted.has(id)) return void faults.push(`a delta of ${id}, which was retracted`);
    const known = previews.get(id) ?? '';
    const here = sentHere.get(id) ?? 0;
    // A new connection may repeat what an earlier one sent; one connection never repeats itself or leaves a hole.
    if (offset !== here) faults.push(`a delta of ${id} at ${offset} where this connection was at ${here}`);
    if (offset > known.length) faults.push(`a hole in ${id}: ${known.length} known, delta at ${offset}`);
    if (!isContinued(known.slice(offset), text)) faults.push(`a delta of ${id} contradicts at ${offset}`);
    sentHere.set(id, offset + text.length);
    if (offset + text.length > known.length) previews.set(id, known.slice(0, offset) + text);
  }

  function applySnapshot({ message_id: id, text }: { message_id: string; text: string }) {
    previewCount += 1;
    if (text === '') {
      retracted.add(id);
      previews.delete(id);
      sentHere.delete(id);
      return;
    }
    if (completed.has(id)) return void faults.push(`a snapshot of ${id} after its message was complete`);
    if (retracted.has(id)) return void faults.push(`a snapshot of ${id}, which was retracted`);
    if (!isContinued(previews.get(id) ?? '', text)) faults.push(`a snapshot of ${id} contradicts its deltas`);
    if (text.length < (sentHere.get(id) ?? 0)) faults.push(`a snapshot of ${id} is shorter than its deltas`);
    previews.set(id, text);
    sentHere.set(id, text.length);
  }

  function applyCompleted({ id, content }: { id: string; content: string }) {
    const known = previews.get(id) ?? '';
    if (retracted.has(id)) faults.push(`${id} was retracted and then completed`);
    if (!content.startsWith(known)) faults.push(`the preview of ${id} is not a beginning of its message`);
    completed.add(id);
    previews.delete(id);
  }

  function applyGap({ from, to }: { from: number; to: number }) {
    gaps.push({ from, to });
    if (last !== undefined && from !== last + 1) faults.push(`a gap from ${from} after event ${last}`);
    last = to;
  }

  function applyId(id: number) {
    const isNext = last === undefined || (ofTurn ? id > last : id === last + 1);
    if (!isNext) faults.push(`event ${id} came after ${last}`);
    last = Math.max(id, last ?? 0);
  }

  return {
    durable,
    gaps,
    lastId: () => last,
    previews,
    previewCount: () => previewCount,
    faults,
    reconnect() {
      sentHere = new Map();
    },
    apply(event) {
      if (event.event === 'message.delta') applyDelta(event.data);
      if (event.event === 'stream.snapshot') applySnapshot(event.data);
      if (event.event === 'stream.gap') applyGap(event.data);
      if (event.event === 'message.completed') applyCompleted(event.data.message);
      // A reader that was away may have missed the retraction of a reply; the end of the turn discards it. A truncation may have
      // removed that end.
      if ([...turnEnds, 'conversation.truncated'].includes(event.event)) previews.clear();
      if (event.id === undefined) return;
      applyId(event.id);
      durable.push(event);
    },
  };
}

/** Whether one of the texts is a beginning of the other. */
function isContinued(known: string, text: string): boolean {
  return known.startsWith(text) || text.startsWith(known);
}

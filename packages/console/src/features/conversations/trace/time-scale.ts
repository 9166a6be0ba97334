export interface TimeSpan {
  start: number;
  end: number;
  /** Nothing is being done: it waits for a person. */
  isWaiting: boolean;
}

export interface TimeBreak {
  /** Where it is drawn, from 0 to 1. */
  position: number;
  width: number;
  milliseconds: number;
}

export interface TimeScale {
  /** Where a moment is drawn, from 0 to 1. */
  at(time: number): number;
  breaks: readonly TimeBreak[];
  /** Moments to label, as milliseconds since the beginning. */
  ticks: readonly { position: number; milliseconds: number }[];
  totalMilliseconds: number;
}

interface Segment {
  from: number;
  to: number;
  isBreak: boolean;
  /** How long it is drawn, in the same unit as the rest. */
  shown: number;
}

/** Waits that are shorter are drawn as they are. */
const minBreakMilliseconds = 2_000;
/** A wait is a break if it is longer than this part of all work. */
const minBreakPart = 0.5;
/** How much of the width a break gets. */
const breakPart = 0.08;
const tickCount = 4;

/** A scale on which 14 minutes of waiting do not flatten 3 seconds of work. */
export function createTimeScale(spans: readonly TimeSpan[]): TimeScale {
  const start = Math.min(...spans.map((span) => span.start));
  const end = Math.max(...spans.map((span) => span.end));
  if (spans.length === 0 || end <= start) {
    return { at: () => 0, breaks: [], ticks: [], totalMilliseconds: 0 };
  }
  const segments = toSegments(start, end, busyTimes(spans));
  const total = segments.reduce((sum, { shown }) => sum + shown, 0);
  const placed = place(segments, total);

  function at(time: number): number {
    const inside = placed.find(({ to }) => time <= to) ?? placed.at(-1);
    if (!inside) return 0;
    const { from, to, position, width } = inside;
    const part = to > from ? (time - from) / (to - from) : 0;
    return Math.min(1, Math.max(0, position + width * Math.min(1, Math.max(0, part))));
  }

  return {
    at,
    breaks: placed
      .filter(({ isBreak }) => isBreak)
      .map(({ position, width, from, to }) => ({ position, width, milliseconds: to - from })),
    ticks: ticksOf(placed[0], start, total).map((milliseconds) => ({
      position: at(start + milliseconds),
      milliseconds,
    })),
    totalMilliseconds: end - start,
  };
}

/** When anything was done, merged. */
function busyTimes(spans: readonly TimeSpan[]): { from: number; to: number }[] {
  const busy: { from: number; to: number }[] = [];
  const working = spans
    .filter(({ isWaiting }) => !isWaiting)
    .toSorted((one, other) => one.start - other.start);
  for (const { start: from, end: to } of working) {
    const last = busy.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else busy.push({ from, to });
  }
  return busy;
}

function toSegments(start: number, end: number, busy: readonly { from: number; to: number }[]): Segment[] {
  const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = Math.max(minBreakMilliseconds, worked * minBreakPart);
  const edges = [{ from: start, to: start }, ...busy, { from: end, to: end }];
  const waits = edges.slice(1).flatMap(({ from }, index) => {
    const before = edges[index]?.to ?? start;
    return worked > 0 && from - before > longest ? [{ from: before, to: from }] : [];
  });
  const drawn = end - start - waits.reduce((sum, { from, to }) => sum + to - from, 0);
  const segments: Segment[] = [];
  let now = start;
  for (const { from, to } of waits) {
    if (from > now) segments.push({ from: now, to: from, isBreak: false, shown: from - now });
    segments.push({ from, to, isBreak: true, shown: drawn * breakPart });
    now = to;
  }
  if (end > now) segments.push({ from: now, to: end, isBreak: false, shown: end - now });
  return segments;
}

function place(segments: readonly Segment[], total: number) {
  let position = 0;
  return segments.map((segment) => {
    const width = segment.shown / total;
    const placed = { ...segment, position, width };
    position += width;
    return placed;
  });
}

/** Round numbers before the first break: after it they would only repeat how long the wait was. */
function ticksOf(first: Segment | undefined, start: number, total: number): number[] {
  if (!first || first.isBreak) return [];
  const step = roundStep(total / tickCount);
  const ticks: number[] = [];
  for (let tick = 0; start + tick <= first.to; tick += step) ticks.push(tick);
  return ticks;
}

function roundStep(rough: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return ([1, 2, 5, 10].find((factor) => factor * size >= rough) ?? 10) * size;
}

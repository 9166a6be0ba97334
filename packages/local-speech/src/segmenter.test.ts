import { expect, it } from 'vitest';
import { createActivityTracker } from './activity-tracker.ts';
import { createSegmenter, type SegmentEvent } from './segmenter.ts';

/** `s` is a window of speech, `.` one of silence. Every event as `kind@window:length`. */
function cut(line: string, { finish = false } = {}): string[] {
  const track = createActivityTracker();
  const segmenter = createSegmenter();
  const name = (event: SegmentEvent, at: number) => {
    const length = 'windows' in event ? `:${event.windows.length}` : '';
    return `${event.kind}${'isSameAsPause' in event && event.isSameAsPause ? '(same)' : ''}@${at}${length}`;
  };
  const events = line
    .split('')
    .flatMap((sign, index) =>
      segmenter.add(track(sign === 's' ? 1 : 0), new Int16Array(1)).map((event) => name(event, index)),
    );
  return finish ? [...events, ...segmenter.finish().map((event) => name(event, line.length))] : events;
}

const silent = (length: number) => '.'.repeat(length);
const speak = (length: number) => 's'.repeat(length);

it('recognises at a pause and ends after a longer one, with a little of what surrounds the speech', () => {
  expect(cut(silent(20) + speak(10) + silent(20))).toEqual([
    'started@22',
    'pause@32:20',
    'ended(same)@39:23',
  ]);
});

it('continues after a short pause', () => {
  expect(cut(speak(5) + silent(5) + speak(5) + silent(12))).toEqual([
    'started@2',
    'pause@7:8',
    'resumed@10',
    'pause@17:18',
    'ended(same)@24:21',
  ]);
});

it('ignores what is too short for speech, and starts again afterwards', () => {
  expect(cut(`${speak(2)}${silent(12)}`)).toEqual([]);
  expect(cut(`${speak(2)}${silent(12)}${speak(4)}`, { finish: true })).toEqual(['started@16', 'ended@18:11']);
});

it('ends now when asked to, once', () => {
  expect(cut(speak(6), { finish: true })).toEqual(['started@2', 'ended@6:6']);
  expect(cut(silent(6), { finish: true })).toEqual([]);
});

it('tells about progress, and cuts what is too long', () => {
  const events = cut(speak(480));
  expect(events.slice(0, 3)).toEqual(['started@2', 'progress@15:16', 'progress@31:32']);
  expect(events).toContain('ended@468:469');
  expect(events.filter((event) => event.startsWith('started'))).toHaveLength(2);
});

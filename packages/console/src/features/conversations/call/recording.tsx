import type { CallDetail } from '@svc/contract/calls';
import type { ConsoleMessage } from '@svc/contract/console-conversation';
import { Play } from 'lucide-react';
import type { RefObject } from 'react';
import { recordingUrl } from '../../../api/voice.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { clockDuration } from '../../voice/call-texts.ts';

/** Where the lines of a transcript begin in the recording, by turn for the caller and by message for the bot. */
export type RecordingMarks = ReadonlyMap<string, number>;

export function marksOf(
  call: Pick<CallDetail, 'recording_ms' | 'recording_marks'> | undefined,
): RecordingMarks {
  if (!call?.recording_ms) return new Map();
  return new Map(
    call.recording_marks.map(({ turn_id, message_id, at_ms }) => [turn_id ?? message_id ?? '', at_ms]),
  );
}

/** Undefined for what is not in the recording. */
export function markOf(
  marks: RecordingMarks,
  { id, role, turn_id: turnId }: Pick<ConsoleMessage, 'id' | 'role' | 'turn_id'>,
): number | undefined {
  if (role === 'user') return turnId === null ? undefined : marks.get(turnId);
  return role === 'assistant' ? marks.get(id) : undefined;
}

export interface RecordingPlayerProps {
  callId: string;
  player: RefObject<HTMLAudioElement | null>;
}

/** Both sides of a call, the caller on the left. The browser's own controls have keys, speed and a download. */
export function RecordingPlayer({ callId, player }: RecordingPlayerProps) {
  const { api } = useWorkspace();
  return (
    // biome-ignore lint/a11y/useMediaCaption: the transcript is on the same page
    <audio
      ref={player}
      controls
      preload="none"
      src={recordingUrl(api, callId)}
      aria-label="Recording of the call"
      className="h-9 w-full max-w-xl"
    />
  );
}

/** Plays from a moment on, even if nothing was loaded yet. */
export function playFrom(player: HTMLAudioElement | null, atMs: number): void {
  if (!player) return;
  player.currentTime = atMs / 1000;
  void player.play();
}

/** Beside a line: hears it. */
export function HearButton({ atMs, onHear }: { atMs: number; onHear: (atMs: number) => void }) {
  const time = clockDuration(Math.floor(atMs / 1000));
  return (
    <button
      type="button"
      aria-label={`Hear from ${time}`}
      onClick={() => onHear(atMs)}
      className="inline-flex items-center gap-1 rounded-sm text-accent-ink tabular-nums hover:underline pointer-coarse:min-h-11"
    >
      <Play aria-hidden className="size-3" />
      {time}
    </button>
  );
}

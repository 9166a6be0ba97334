import type { Dialog } from '../dialog.ts';
import type { MediaSession } from '../media/media-session.ts';
import type { SipTimers } from '../sip-timers.ts';

export interface SilenceWatch {
  media: Pick<MediaSession, 'silentMs'>;
  dialog: Pick<Dialog, 'request'>;
  timers: Pick<SipTimers, 'mediaSilence' | 'check'>;
  onLost(detail: string): void;
}

/** Phones may send nothing while nobody speaks, so a silent one is first asked whether it is still there. */
export function watchSilence({ media, dialog, timers, onLost }: SilenceWatch): () => void {
  let isStopped = false;
  let timer = setTimeout(look, timers.mediaSilence);

  function wait(milliseconds: number): void {
    if (!isStopped) timer = setTimeout(look, milliseconds);
  }

  function look(): void {
    const left = timers.mediaSilence - media.silentMs;
    if (left > 0) return wait(left);
    dialog.request(
      'OPTIONS',
      { limitMs: timers.check },
      {
        onFinal(response) {
          if (isStopped) return;
          const isGone = !response || response.status === 481 || response.status === 408;
          if (isGone) onLost('The other side is gone: it sends no audio and does not answer.');
          else wait(timers.mediaSilence);
        },
      },
    );
  }

  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

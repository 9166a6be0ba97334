import { activeMilliseconds, type LiveRequest } from '@svc/contract/live';

const signs = ['pointerdown', 'keydown'] as const;

/** Tells the service, seldom, that the member uses the console. The returned function ends it. */
export function reportActivity(send: (request: LiveRequest) => void, isTaken: () => boolean): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  function report(): void {
    const now = performance.now();
    if (!isTaken() || now - reportedAt < activeMilliseconds) return;
    reportedAt = now;
    send({ type: 'active' });
  }
  for (const sign of signs) window.addEventListener(sign, report, { passive: true });
  return () => {
    for (const sign of signs) window.removeEventListener(sign, report);
  };
}

import { RefreshCw, WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { clockTime } from '../format/time.ts';
import { announce } from '../kit/announce.ts';
import { Button } from '../kit/button.tsx';
import { useIsOutdated, useLive } from '../live/live-context.ts';

/** Says when what is shown is not current. Takes no place while it is. */
export function ConnectionBar() {
  const state = useLive();
  const isOutdated = useIsOutdated();
  const text = textOf(state) ?? (isOutdated ? 'The service was updated.' : undefined);
  const wasLost = useRef(false);
  useEffect(() => {
    if (text !== undefined) announce(text);
    else if (wasLost.current) announce('Connected again.');
    wasLost.current = text !== undefined;
  }, [text]);
  if (text === undefined) return null;
  const Icon = state.name === 'offline' ? WifiOff : RefreshCw;
  return (
    <section
      aria-label="Connection"
      className="flex shrink-0 items-center gap-2 border-line border-b bg-warning-tint px-4 py-1.5 text-sm text-warning-ink md:px-6"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <p>{text}</p>
      {isOutdated && state.name === 'connected' && (
        <Button size="small" onPress={() => location.reload()}>
          Load the new console
        </Button>
      )}
    </section>
  );
}

function textOf(state: ReturnType<typeof useLive>): string | undefined {
  if (state.name === 'offline') {
    return `No connection since ${clockTime(state.since)}. Showing what was known then. Trying again…`;
  }
  if (state.name === 'polling')
    return 'Live updates cannot reach this browser. Reading again every 5 seconds.';
  return undefined;
}

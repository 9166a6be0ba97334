import { RefreshCw, WifiOff } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { clockTime } from '../format/time.ts';
import { announce } from '../kit/announce.ts';
import { Button } from '../kit/buttons.tsx';
import { useIsOutdated, useLive } from '../live/live-context.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Commands } from './commands.tsx';
import { useNews } from './news/use-news.ts';
import { Sidebar } from './sidebar.tsx';
import { useWorkspace } from './workspace.tsx';

/** Navigation at the side, or at the bottom of a phone; the page beside it. */
export function Shell({ children }: { children: ReactNode }) {
  const { role } = useWorkspace();
  useNews();
  return (
    <div className="flex h-dvh">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <Sidebar />
      <div className="flex min-w-0 flex-1 flex-col">
        <ConnectionBar />
        {role === 'viewer' && (
          // The sidebar says it where there is room.
          <section
            aria-label="Your access"
            className="shrink-0 border-line border-b bg-sunken px-4 py-1 text-ink-2 text-xs md:px-6 xl:hidden"
          >
            View only
          </section>
        )}
        <main id="main" className="min-h-0 flex-1 overflow-y-auto">
          {children}
        </main>
        <BottomBar />
        <Commands />
      </div>
    </div>
  );
}

/** Says when what is shown is not current. Takes no place while it is. */
function ConnectionBar() {
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

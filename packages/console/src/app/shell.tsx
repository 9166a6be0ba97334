import type { ReactNode } from 'react';
import { BottomBar } from './bottom-bar.tsx';
import { Commands } from './commands.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { Sidebar } from './sidebar.tsx';
import { useWorkspace } from './workspace-context.tsx';

/** Navigation at the side, or at the bottom of a phone; the page beside it. */
export function Shell({ children }: { children: ReactNode }) {
  const { role } = useWorkspace();
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
          <p className="shrink-0 border-line border-b bg-sunken px-4 py-1 text-ink-2 text-xs md:px-6 xl:hidden">
            View only
          </p>
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

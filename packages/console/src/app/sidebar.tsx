import { useLocation } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { classes } from '../kit/classes.ts';
import { MemberMenu } from './member-menu.tsx';
import { navigation } from './navigation.tsx';
import { openPalette } from './open-palette.ts';
import { Keys } from './shortcuts/keys.tsx';
import { useWaiting } from './use-waiting.ts';
import { PageLink, useWorkspace } from './workspace.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';

export function Sidebar() {
  const current = useCurrentEntry();
  const waiting = useWaiting();
  return (
    <nav
      aria-label="Main"
      className="flex w-14 shrink-0 flex-col border-line border-r bg-sunken max-md:hidden xl:w-56"
    >
      <WorkspaceMenu />
      <div className="px-2 pt-2">
        <Button
          onPress={openPalette}
          className="flex h-8 w-full items-center gap-2.5 rounded-md border border-line bg-surface px-2 text-ink-3 data-hovered:bg-hover max-xl:justify-center"
        >
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="flex-1 text-left max-xl:sr-only">Find…</span>
          <span className="max-xl:hidden">
            <Keys keys="$mod+k" />
          </span>
        </Button>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2 py-2">
        {navigation.map((group) => (
          <div key={group.title ?? group.entries[0]?.id}>
            {group.title && <p className="px-2 pb-1 text-ink-3 text-xs max-xl:sr-only">{group.title}</p>}
            <ul className="flex flex-col gap-0.5">
              {group.entries.map((entry) => {
                const count = entry.waiting ? waiting[entry.waiting] : 0;
                return (
                  <li key={entry.id}>
                    <PageLink
                      path={entry.path}
                      title={entry.label}
                      aria-current={entry.id === current ? 'page' : undefined}
                      className={classes(
                        'flex h-8 items-center gap-2.5 rounded-md px-2 text-base max-xl:justify-center',
                        entry.id === current
                          ? 'bg-selected font-medium text-accent-ink'
                          : 'text-ink-2 hover:bg-hover hover:text-ink',
                      )}
                    >
                      <span className="relative">
                        <entry.icon aria-hidden className="size-4" />
                        {count > 0 && (
                          <span
                            aria-hidden
                            className="absolute -top-1 -right-1 size-2 rounded-full bg-paused xl:hidden"
                          />
                        )}
                      </span>
                      <span className="max-xl:sr-only">{entry.label}</span>
                      {count > 0 && (
                        <span className="ml-auto rounded-full bg-paused px-1.5 font-medium text-[oklch(0.2_0.02_85)] text-xs max-xl:sr-only">
                          {count}
                          <span className="sr-only"> waiting</span>
                        </span>
                      )}
                    </PageLink>
                  </li>
                );
              })}
            </ul>
          </div>
        ))}
      </div>
      <MemberMenu />
    </nav>
  );
}

/** The entry that the current page belongs to. */
export function useCurrentEntry(): string | undefined {
  const { pathname } = useLocation();
  const { id } = useWorkspace();
  const rest = pathname.slice(`/w/${id}`.length).replace(/\/$/, '');
  const entries = navigation.flatMap((group) => group.entries);
  return entries.find(({ path }) =>
    path === '' ? rest === '' : rest === path || rest.startsWith(`${path}/`),
  )?.id;
}

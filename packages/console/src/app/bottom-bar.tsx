import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Ellipsis, LogOut, Search, User } from 'lucide-react';
import { Button } from 'react-aria-components';
import { sessionQuery } from '../api/session.ts';
import { classes } from '../kit/classes.ts';
import { Menu } from '../kit/menu.tsx';
import { openPalette } from './commands.tsx';
import { navigation } from './navigation.tsx';
import { useCurrentEntry } from './sidebar.tsx';
import { signOut } from './sign-out.ts';
import { useWaiting } from './use-waiting.ts';
import { PageLink, useHref, useWorkspace } from './workspace.tsx';

const shown = ['overview', 'approvals', 'conversations'];
const itemClasses = 'flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs';

/** The navigation of phones. */
export function BottomBar() {
  const current = useCurrentEntry();
  const waiting = useWaiting();
  const href = useHref();
  const { id: workspaceId } = useWorkspace();
  const { data: session } = useQuery(sessionQuery);
  const others = (session?.workspaces ?? []).filter(({ id }) => id !== workspaceId);
  const entries = navigation.flatMap((group) => group.entries);
  const rest = entries.filter(({ id }) => !shown.includes(id));
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {entries
        .filter(({ id }) => shown.includes(id))
        .map((entry) => {
          const count = entry.waiting ? waiting[entry.waiting] : 0;
          return (
            <PageLink
              key={entry.id}
              path={entry.path}
              aria-current={entry.id === current ? 'page' : undefined}
              className={classes(
                itemClasses,
                entry.id === current ? 'font-medium text-accent-ink' : 'text-ink-2',
              )}
            >
              <span className="relative">
                <entry.icon aria-hidden className="size-5" />
                {count > 0 && (
                  <span className="absolute -top-1.5 -right-3 rounded-full bg-paused px-1 font-medium text-[oklch(0.2_0.02_85)]">
                    {count}
                    <span className="sr-only"> waiting</span>
                  </span>
                )}
              </span>
              {entry.label}
            </PageLink>
          );
        })}
      <Menu
        label="More pages"
        placement="top start"
        entries={[
          { label: 'Find…', icon: <Search aria-hidden />, onAction: openPalette },
          ...rest.map(({ id, label, path, icon: Icon }) => ({
            id,
            label,
            href: href(path),
            icon: <Icon aria-hidden />,
          })),
          {
            label: 'Profile',
            href: href('/settings/profile'),
            icon: <User aria-hidden />,
            isFirstOfGroup: true,
          },
          ...others.map(({ id, name }) => ({
            id,
            label: name,
            href: `/w/${id}`,
            icon: <ArrowLeftRight aria-hidden />,
          })),
          { label: 'Sign out', icon: <LogOut aria-hidden />, onAction: () => void signOut() },
        ]}
      >
        <Button className={classes(itemClasses, 'text-ink-2')}>
          <Ellipsis aria-hidden className="size-5" />
          More
        </Button>
      </Menu>
    </nav>
  );
}

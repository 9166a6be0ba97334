import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Monitor, Moon, Search, Sun, User } from 'lucide-react';
import { Button } from 'react-aria-components';
import { sessionQuery } from '../api/session.ts';
import { classes } from '../kit/classes.ts';
import { Menu } from '../kit/menu.tsx';
import { openPalette } from './commands.tsx';
import { navigation } from './navigation.tsx';
import { Keys } from './shortcuts/keys.tsx';
import { signOut } from './sign-out.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';
import { useWaiting } from './use-waiting.ts';
import { PageLink, useHref, useWorkspace } from './workspace.tsx';

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

const nextTheme: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const themeNames: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' };
const themeIcons = { system: Monitor, light: Sun, dark: Moon };

function MemberMenu() {
  const { user } = useWorkspace();
  const href = useHref();
  const theme = useTheme();
  const ThemeIcon = themeIcons[theme];
  return (
    <div className="border-line border-t p-2">
      <Menu
        label="You"
        placement="top start"
        entries={[
          { label: 'Profile', icon: <User aria-hidden />, href: href('/settings/profile') },
          {
            label: `Theme: ${themeNames[theme]}`,
            icon: <ThemeIcon aria-hidden />,
            onAction: () => setTheme(nextTheme[theme]),
          },
          {
            label: 'Sign out',
            icon: <LogOut aria-hidden />,
            onAction: () => void signOut(),
            isFirstOfGroup: true,
          },
        ]}
      >
        <Button
          aria-label={`You: ${user.name}`}
          className="flex h-8 w-full min-w-0 items-center gap-2.5 rounded-md px-2 text-left text-ink-2 data-hovered:bg-hover max-xl:justify-center"
        >
          <User aria-hidden className="size-4 shrink-0" />
          <span title={user.name} className="min-w-0 truncate max-xl:sr-only">
            {user.name}
          </span>
        </Button>
      </Menu>
    </div>
  );
}

/** Shows the workspace, and leads to the person's other ones. */
function WorkspaceMenu() {
  const { id, name, role } = useWorkspace();
  const { data } = useQuery(sessionQuery);
  const others = (data?.workspaces ?? []).filter((workspace) => workspace.id !== id);
  return (
    <div className="flex h-12 shrink-0 items-center border-line border-b px-2">
      <Menu
        label="Workspaces"
        placement="bottom start"
        entries={[
          ...others.map((workspace) => ({
            id: workspace.id,
            label: workspace.name,
            href: `/w/${workspace.id}`,
          })),
          {
            label: 'Workspace settings',
            href: `/w/${id}/settings/workspace`,
            isFirstOfGroup: others.length > 0,
          },
        ]}
      >
        <Button
          aria-label={`Workspace ${name}`}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left data-hovered:bg-hover"
        >
          <span
            aria-hidden
            // As text it would have to be a part of the button's name.
            data-initial={Array.from(name)[0]?.toUpperCase()}
            className="flex size-6 shrink-0 items-center justify-center rounded-sm bg-accent font-semibold text-on-accent text-xs before:content-[attr(data-initial)]"
          />
          <span title={name} className="min-w-0 flex-1 truncate font-semibold max-xl:sr-only">
            {name}
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-ink-3 max-xl:hidden" />
        </Button>
      </Menu>
      {role === 'viewer' && (
        <span className="shrink-0 rounded-sm bg-hover px-1.5 text-ink-2 text-xs max-xl:hidden">
          View only
        </span>
      )}
    </div>
  );
}

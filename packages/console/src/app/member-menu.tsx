import { LogOut, Monitor, Moon, Sun, User } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Menu } from '../kit/menu.tsx';
import { signOut } from './sign-out.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';
import { useHref, useWorkspace } from './workspace.tsx';

const nextTheme: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const themeNames: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' };
const themeIcons = { system: Monitor, light: Sun, dark: Moon };

export function MemberMenu() {
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

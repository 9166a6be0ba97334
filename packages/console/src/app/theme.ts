import { createShared } from './shared-value.ts';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const year = 365 * 86_400;

const [useTheme, redraw] = createShared(currentTheme);

export { useTheme };

/** The service sets the theme of the next page from the cookie, so that no page begins in the wrong one. */
export function setTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  document.cookie = `svc_theme=${theme}; path=/; max-age=${year}; samesite=lax`;
  redraw();
}

function currentTheme(): Theme {
  const set = document.documentElement.dataset['theme'];
  return themes.find((theme) => theme === set) ?? 'system';
}

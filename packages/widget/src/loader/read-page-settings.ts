import type { PageSettings } from '../protocol.ts';

/** What the script element says, and what the page is written in where it says nothing. */
export function readPageSettings({ dataset }: HTMLScriptElement): PageSettings {
  const page = document.documentElement;
  const { theme, dir, language } = dataset;
  const direction = dir ?? getComputedStyle(page).direction;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    direction: direction === 'rtl' ? 'rtl' : 'ltr',
    language: language || page.lang || 'en',
  };
}

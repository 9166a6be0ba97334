import type { ConsoleBot } from '@svc/contract/console-bots';
import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { WidgetCustomization } from '@svc/contract/widgets';
import { contrast, grounds, themeColors } from '@svc/widget/src/panel/color.ts';

/** What the widget shows of a customization. The picture is the saved one: only the service can load it. */
export type DraftLook = Pick<
  WidgetLook,
  | 'theme_color'
  | 'position'
  | 'title'
  | 'greeting_text'
  | 'welcome_message'
  | 'placeholder_text'
  | 'show_branding'
>;

export function lookOf(chosen: WidgetCustomization, bot: Pick<ConsoleBot, 'name' | 'settings'>): DraftLook {
  const greeting = chosen.welcome_message ?? greetingOf(bot);
  return {
    theme_color: sixDigits(chosen.theme_color) ?? '#4f46e5',
    position: chosen.position,
    title: chosen.widget_title?.trim() ? chosen.widget_title : bot.name,
    greeting_text: chosen.greeting_text,
    welcome_message: greeting?.trim() ? greeting : null,
    placeholder_text: chosen.placeholder_text,
    show_branding: chosen.show_branding,
  };
}

function greetingOf({ settings }: Pick<ConsoleBot, 'settings'>): string | null {
  const { chat_greeting: greeting } = JSON.parse(settings) as { chat_greeting?: string };
  return greeting ?? null;
}

/** Undefined for a text that is not a color yet. */
export function sixDigits(color: string): string | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color)?.[1]?.toLowerCase();
  if (!digits) return undefined;
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

/** What becomes of a color that cannot be read on the panel; undefined if it is used as it is. */
export function colorNotice(chosen: string): string | undefined {
  const color = sixDigits(chosen);
  if (!color) return undefined;
  const changes = (['light', 'dark'] as const).flatMap((theme) => {
    const { text } = themeColors(color, theme);
    if (text === color) return [];
    const ratio = Math.min(...grounds[theme].map((ground) => contrast(text, ground)));
    return [
      `${theme === 'light' ? 'a darker' : 'a lighter'} one on ${theme} (${text}, ${ratio.toFixed(1)}:1)`,
    ];
  });
  if (changes.length === 0) return undefined;
  return `Your color is kept for buttons and bubbles; links use ${changes.join(' and ')}, so that they can be read.`;
}

/** What the Content Security Policy of a site needs. */
export function policyLines(serviceUrl: string): string {
  const sockets = serviceUrl.replace(/^http/, 'ws');
  return `script-src ${serviceUrl}; connect-src ${serviceUrl} ${sockets}; img-src ${serviceUrl} blob:`;
}

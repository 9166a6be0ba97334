import type { WidgetLook } from '@svc/contract/widget-visitor';
import { defaultCustomization } from '@svc/contract/widgets';
import type { FoundWidgetKey } from '../store.ts';

/** What pages are sent of a bot and its customization, and nothing else. */
export function lookOf(
  found: Pick<FoundWidgetKey, 'look' | 'bot'>,
  page: { avatarUrl: string | null; texts: Readonly<Record<string, string>> },
): WidgetLook {
  const { look, bot } = found;
  return {
    theme_color: look?.themeColor ?? defaultCustomization.theme_color,
    position: look?.position ?? defaultCustomization.position,
    title: look?.widgetTitle?.trim() ? look.widgetTitle : bot.name,
    greeting_text: look?.greetingText ?? defaultCustomization.greeting_text,
    welcome_message: welcomeMessage(found),
    placeholder_text: look?.placeholderText ?? defaultCustomization.placeholder_text,
    avatar_url: page.avatarUrl,
    show_branding: look?.showBranding ?? defaultCustomization.show_branding,
    texts: page.texts,
  };
}

/** An empty message means that conversations begin without one, whatever the bot's own greeting is. */
export function welcomeMessage({ look, bot }: Pick<FoundWidgetKey, 'look' | 'bot'>): string | null {
  const text = look?.welcomeMessage ?? bot.greeting;
  return text?.trim() ? text : null;
}

import type { WidgetLook } from '@svc/contract/widget-visitor';
import { defaultCustomization } from '@svc/contract/widgets';
import type { Translation } from '../texts/translation.ts';
import type { FoundWidgetKey } from '../widgets.store.ts';
import { isOpen } from './is-open.ts';

/** What pages are sent of a bot and its customization, and nothing else. */
export function lookOf(
  found: Pick<FoundWidgetKey, 'look' | 'bot'>,
  {
    avatarUrl,
    hasVoice,
    translation,
    now,
  }: { avatarUrl: string | null; hasVoice: boolean; translation: Translation | undefined; now: Date },
): WidgetLook {
  const { look, bot } = found;
  const hours = look?.officeHours;
  const closedText = hours && !isOpen(hours, now) ? hours.closed_text : null;
  const asks = { never: false, before_chat: true, outside_hours: closedText !== null };
  return {
    theme_color: look?.themeColor ?? defaultCustomization.theme_color,
    position: look?.position ?? defaultCustomization.position,
    title: look?.widgetTitle?.trim() ? look.widgetTitle : bot.name,
    greeting_text: unlessDefault(look?.greetingText, 'greeting_text'),
    welcome_message: welcomeMessage(found),
    placeholder_text: unlessDefault(look?.placeholderText, 'placeholder_text'),
    avatar_url: avatarUrl,
    show_branding: look?.showBranding ?? defaultCustomization.show_branding,
    voice: hasVoice,
    attachments: look?.attachmentsEnabled ?? defaultCustomization.attachments_enabled,
    asks_details: asks[look?.askDetails ?? defaultCustomization.ask_details],
    closed_text: closedText,
    texts: { ...translation?.texts },
  };

  /** A text that nobody chose is shown in the page's language. */
  function unlessDefault(chosen: string | undefined, field: 'greeting_text' | 'placeholder_text'): string {
    const isChosen = chosen !== undefined && chosen !== defaultCustomization[field];
    return isChosen ? chosen : (translation?.[field] ?? defaultCustomization[field]);
  }
}

/** An empty message means that conversations begin without one, whatever the bot's own greeting is. */
export function welcomeMessage({ look, bot }: Pick<FoundWidgetKey, 'look' | 'bot'>): string | null {
  const text = look?.welcomeMessage ?? bot.greeting;
  return text?.trim() ? text : null;
}

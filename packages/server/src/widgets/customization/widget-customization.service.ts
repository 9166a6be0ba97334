import {
  defaultCustomization,
  type OfficeHours,
  type WidgetCustomization,
  type WidgetCustomizationUpdate,
} from '@svc/contract/widgets';
import { recordChange } from '../../audit/audit.service.ts';
import { findTimeZone } from '../../bots/bots.service.ts';
import { newId } from '../../lib/new-id.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { Services } from '../../services.ts';
import { refuseFaults } from '../../validation/report-together.ts';
import {
  type CustomizationChange,
  type CustomizationRow,
  customizationStore,
  type NewCustomization,
} from './widget-customization.store.ts';

export interface CustomizationDependencies extends Pick<Services, 'bots' | 'database'> {
  cache: { clear(): void };
  /** Why a picture's URL can never be reached; undefined when it may be. */
  pictures: { refusalOf(url: string): string | undefined };
}

export type CustomizationService = ReturnType<typeof createCustomizationService>;

/** How the widget of each bot looks. */
export function createCustomizationService({ database, bots, cache, pictures }: CustomizationDependencies) {
  return {
    async get(workspaceId: string, botId: string): Promise<WidgetCustomization> {
      await bots.getRow(workspaceId, botId);
      const found = await customizationStore.find(database.within(workspaceId), workspaceId, botId);
      if (found) return toWire(found);
      // Stored, so that the next reader sees the same id.
      await customizationStore.insertIfAbsent(database.within(workspaceId), workspaceId, defaultsOf(botId));
      const row = await customizationStore.find(database.within(workspaceId), workspaceId, botId);
      if (!row) throw new Error('The customization was stored and is gone.');
      return toWire(row);
    },

    /** Fields that are left out keep their values. */
    async put(workspaceId: string, body: WidgetCustomizationUpdate): Promise<WidgetCustomization> {
      const change = readChange(body);
      const { avatarUrl, officeHours } = change;
      refuseFaults({
        avatar_url: typeof avatarUrl === 'string' && pictureFault(avatarUrl),
        'office_hours.time_zone': officeHours ? zoneFault(officeHours) : undefined,
      });
      const { id: botId, name } = await bots.getRow(workspaceId, body.bot_id);
      const row = await database.within(workspaceId).transaction(async (tx) => {
        const before = (await customizationStore.lock(tx, workspaceId, botId)) ?? defaultsOf(botId);
        const after = await customizationStore.put(tx, workspaceId, defaultsOf(botId), change);
        const fields = { before: lookOf(before), after: lookOf(after) };
        await recordChange(tx, workspaceId, {
          action: 'widget.updated',
          object: { id: botId, name },
          ...fields,
        });
        return after;
      });
      cache.clear();
      return toWire(row);
    },
  };

  function pictureFault(address: string): string | undefined {
    const refusal = pictures.refusalOf(address);
    return refusal && `cannot be used: ${refusal}`;
  }
}

function zoneFault({ time_zone: zone }: OfficeHours): string | undefined {
  return findTimeZone(zone) ? undefined : 'is not a known time zone, such as Europe/Berlin';
}

function readChange(body: WidgetCustomizationUpdate): CustomizationChange {
  return withoutUndefined({
    themeColor: body.theme_color && sixDigits(body.theme_color),
    position: body.position,
    greetingText: body.greeting_text,
    welcomeMessage: body.welcome_message,
    avatarUrl: body.avatar_url,
    showBranding: body.show_branding,
    widgetTitle: body.widget_title,
    placeholderText: body.placeholder_text,
    voiceEnabled: body.voice_enabled,
    attachmentsEnabled: body.attachments_enabled,
    askDetails: body.ask_details,
    officeHours: body.office_hours,
  });
}

/** `#45E` is short for `#4455ee`. */
function sixDigits(color: string): string {
  const digits = color.slice(1).toLowerCase();
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

function defaultsOf(botId: string): NewCustomization {
  return {
    id: newId(),
    botId,
    themeColor: defaultCustomization.theme_color,
    position: defaultCustomization.position,
    greetingText: defaultCustomization.greeting_text,
    welcomeMessage: defaultCustomization.welcome_message,
    avatarUrl: defaultCustomization.avatar_url,
    showBranding: defaultCustomization.show_branding,
    widgetTitle: defaultCustomization.widget_title,
    placeholderText: defaultCustomization.placeholder_text,
    voiceEnabled: defaultCustomization.voice_enabled,
    attachmentsEnabled: defaultCustomization.attachments_enabled,
    askDetails: defaultCustomization.ask_details,
    officeHours: defaultCustomization.office_hours,
  };
}

function lookOf(row: NewCustomization) {
  return {
    theme_color: row.themeColor,
    position: row.position,
    greeting_text: row.greetingText,
    welcome_message: row.welcomeMessage,
    avatar_url: row.avatarUrl,
    show_branding: row.showBranding,
    widget_title: row.widgetTitle,
    placeholder_text: row.placeholderText,
    voice_enabled: row.voiceEnabled,
    attachments_enabled: row.attachmentsEnabled,
    ask_details: row.askDetails,
    office_hours: row.officeHours,
  };
}

function toWire(row: CustomizationRow): WidgetCustomization {
  return {
    id: row.id,
    bot_id: row.botId,
    ...lookOf(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

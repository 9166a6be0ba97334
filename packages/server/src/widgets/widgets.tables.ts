import type { DetailQuestion, OfficeHours, WidgetPosition } from '@svc/contract/widgets';
import { bytea } from '../database/bytea.ts';
import { boolean, integer, json, numeric, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const widgetKeys = pgTable('widget_keys', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  apiKey: text('api_key').notNull(),
  name: text().notNull(),
  allowedDomains: text('allowed_domains').array().notNull(),
  rateLimitPerHour: integer('rate_limit_per_hour').notNull(),
  visitorMessagesPerHour: integer('visitor_messages_per_hour').notNull(),
  visitorUsdPerDay: numeric('visitor_usd_per_day', { precision: 20, scale: 9 }),
  identitySecret: bytea('identity_secret'),
  identitySecretBy: uuid('identity_secret_by'),
  isTest: boolean('is_test').notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  lastUsedHost: text('last_used_host'),
});

export const widgetCustomizations = pgTable('widget_customizations', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  themeColor: text('theme_color').notNull(),
  position: text().$type<WidgetPosition>().notNull(),
  greetingText: text('greeting_text').notNull(),
  welcomeMessage: text('welcome_message'),
  avatarUrl: text('avatar_url'),
  showBranding: boolean('show_branding').notNull(),
  widgetTitle: text('widget_title'),
  placeholderText: text('placeholder_text').notNull(),
  voiceEnabled: boolean('voice_enabled').notNull().default(false),
  attachmentsEnabled: boolean('attachments_enabled').notNull().default(false),
  askDetails: text('ask_details').$type<DetailQuestion>().notNull().default('never'),
  officeHours: json('office_hours').$type<OfficeHours>(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

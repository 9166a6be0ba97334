import type { BotConfiguration } from '@svc/contract/bot-versions';
import { integer, json, pgTable, primaryKey, text, timestamp, uuid } from '../../database/drizzle.ts';

export const botVersions = pgTable(
  'bot_versions',
  {
    botId: uuid('bot_id').notNull(),
    number: integer().notNull(),
    workspaceId: uuid('workspace_id').notNull(),
    createdBy: uuid('created_by'),
    changes: text().array().notNull(),
    restoredFrom: integer('restored_from'),
    configuration: json().$type<BotConfiguration>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.number] })],
);

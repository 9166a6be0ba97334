import type { ExportFormat, ListedConversation } from '@svc/contract/console-conversations';
import type { MessageRow } from '../conversations.store.ts';
import { toWireMessage } from '../message.ts';
import { csvLine } from './csv.ts';

export interface ExportSource {
  readPage(
    before: string | undefined,
    limit: number,
  ): Promise<{ conversations: ListedConversation[]; next: string | undefined }>;
  readMessages(conversationId: string, page: { after: number; limit: number }): Promise<MessageRow[]>;
}

const pageSize = 100;
/** A message can have 32,000 characters, and results of tools more. */
const messagesPerRead = 50;

const columns: [string, (conversation: ListedConversation) => string | number | null][] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => created_at],
  ['last_message_at', ({ last_message_at }) => last_message_at],
  ['bot_id', ({ bot_id }) => bot_id],
  ['bot_name', ({ bot_name }) => bot_name],
  ['channel', ({ channel }) => channel],
  ['external_user_id', ({ external_user_id }) => external_user_id],
  ['status', ({ status }) => status],
  ['needs_human_at', ({ needs_human }) => needs_human?.at ?? null],
  ['needs_human_reason', ({ needs_human }) => needs_human?.reason ?? null],
  ['message_count', ({ message_count }) => message_count],
  ['title', ({ title }) => title],
  ['last_text', ({ preview }) => preview],
];

/** CSV has a line per conversation; NDJSON has an object per conversation, with its messages. */
export async function* exportConversations(
  format: ExportFormat,
  source: ExportSource,
): AsyncGenerator<string> {
  // Spreadsheets need the mark to read the file as UTF-8.
  if (format === 'csv') yield `\uFEFF${csvLine(columns.map(([name]) => name))}`;
  for (let before: string | undefined; ; ) {
    const { conversations, next } = await source.readPage(before, pageSize);
    for (const conversation of conversations) {
      if (format === 'csv') yield csvLine(columns.map(([, valueOf]) => valueOf(conversation)));
      else yield* jsonLine(conversation, source);
    }
    if (next === undefined) return;
    before = next;
  }
}

async function* jsonLine(
  {
    preview: _preview,
    preview_role: _role,
    preview_author: _author,
    latest_act: _act,
    ...conversation
  }: ListedConversation,
  source: ExportSource,
): AsyncGenerator<string> {
  yield `${JSON.stringify(conversation).slice(0, -1)},"messages":[`;
  let separator = '';
  for (let after = 0; ; ) {
    const rows = await source.readMessages(conversation.id, { after, limit: messagesPerRead });
    for (const row of rows) {
      yield separator + JSON.stringify(toWireMessage(row));
      separator = ',';
    }
    const last = rows.at(-1);
    if (!last || rows.length < messagesPerRead) break;
    after = last.sequence;
  }
  yield ']}\n';
}

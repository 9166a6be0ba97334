import {
  type CannedReply,
  type CannedReplyCreate,
  type CannedReplyUpdate,
  cannedReplyPlaceholders,
  maxCannedReplies,
} from '@svc/contract/canned-replies';
import { placeholdersIn, withoutPlaceholders } from '@svc/contract/placeholders';
import { recordChange } from '../../audit/audit.service.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { type CannedReplyRow, cannedReplyStore } from './canned-replies.store.ts';

export type CannedReplies = ReturnType<typeof createCannedReplies>;

/** The texts that people of the team write again and again. */
export function createCannedReplies({ database, clock }: Pick<Services, 'clock' | 'database'>) {
  return {
    /** By shortcut. */
    list: (workspaceId: string): ListPages<CannedReply> =>
      inPages(
        (after) => cannedReplyStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWire),
      ),

    async create(
      workspaceId: string,
      { shortcut, text }: CannedReplyCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      requirePlaceholders(text);
      const id = newId();
      const now = clock.now();
      return database.within(workspaceId).transaction(async (tx) => {
        if ((await cannedReplyStore.count(tx, workspaceId)) >= maxCannedReplies)
          throw invalid(
            'shortcut',
            `cannot be added: a workspace has at most ${maxCannedReplies} canned replies`,
          );
        const reply = { id, shortcut, text, createdAt: now, updatedAt: now };
        if (!(await cannedReplyStore.insert(tx, workspaceId, reply))) throw taken();
        await recordChange(tx, workspaceId, {
          action: 'canned_reply.created',
          object: { id, name: shortcut },
          after: { shortcut, text },
        });
        await record(tx, { id });
        return { id };
      });
    },

    async update(workspaceId: string, id: string, { shortcut, text }: CannedReplyUpdate): Promise<void> {
      if (text !== undefined) requirePlaceholders(text);
      await database.within(workspaceId).transaction(async (tx) => {
        const before = await cannedReplyStore.lock(tx, workspaceId, id);
        if (!before) throw notFound();
        const after = { shortcut: shortcut ?? before.shortcut, text: text ?? before.text };
        const changed = { ...before, ...after, updatedAt: clock.now() };
        if (!(await cannedReplyStore.update(tx, workspaceId, changed))) throw taken();
        await recordChange(tx, workspaceId, {
          action: 'canned_reply.updated',
          object: { id, name: after.shortcut },
          before: { shortcut: before.shortcut, text: before.text },
          after,
        });
      });
    },

    async delete(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const deleted = await cannedReplyStore.delete(tx, workspaceId, id);
        if (!deleted) throw notFound();
        await recordChange(tx, workspaceId, {
          action: 'canned_reply.deleted',
          object: { id, name: deleted.shortcut },
          before: { shortcut: deleted.shortcut, text: deleted.text },
        });
      });
    },
  };
}

const taken = () => invalid('shortcut', 'is taken by another canned reply');

function requirePlaceholders(text: string): void {
  const known: readonly string[] = cannedReplyPlaceholders;
  const unknown = placeholdersIn(text).find((name) => !known.includes(name));
  const names = 'it can have {{operator}}, {{bot}} and {{user}}';
  if (unknown !== undefined) throw invalid('text', `has {{${unknown}}}, but ${names}`);
  if (withoutPlaceholders(text).includes('{{')) throw invalid('text', `has an invalid placeholder; ${names}`);
}

function toWire({ id, shortcut, text, createdAt, updatedAt }: CannedReplyRow): CannedReply {
  const times = { created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
  return { id, shortcut, text, ...times };
}

import type { EndUserDetails, EndUserDetailsUpdate } from '@svc/contract/end-user-details';
import { plainLine } from '@svc/contract/visible-text';
import { recordChange } from '../../audit/audit.service.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { Services } from '../../services.ts';
import { type DetailsRow, detailsStore } from './end-user-details.store.ts';

export type EndUserDetailsService = ReturnType<typeof createEndUserDetails>;

/** What a widget says of its visitor, who may have written all of it. */
export interface ReportedDetails {
  name?: string | undefined;
  email?: string | undefined;
  pageUrl?: string | undefined;
  pageTitle?: string | undefined;
  browser?: string | undefined;
}

/**
 * What is known of end users besides their conversations. It is written while one of these is kept from being deleted, because with
 * the last one the details are deleted too.
 */
export function createEndUserDetails({
  database,
  clock,
  noteChange,
}: Pick<Services, 'clock' | 'database' | 'noteChange'>) {
  return {
    /** Throws NOT_FOUND for a person without conversations. */
    async get(workspaceId: string, externalUserId: string): Promise<EndUserDetails> {
      const within = database.within(workspaceId);
      const row = await detailsStore.find(within, workspaceId, externalUserId);
      if (!row && !(await detailsStore.hasConversation(within, workspaceId, { externalUserId })))
        throw notFound();
      return toWire(externalUserId, row);
    },

    /** A person of the team corrects what the user is called. The audit log does not name the user. */
    async update(workspaceId: string, externalUserId: string, wanted: EndUserDetailsUpdate): Promise<void> {
      const name = wanted.name && plainLine(wanted.name);
      if (name === '') throw invalid('name', 'must be a text that is not blank');
      const change = withoutUndefined({ name, email: wanted.email });
      await database.within(workspaceId).transaction(async (tx) => {
        if (!(await detailsStore.keepNewest(tx, workspaceId, { externalUserId }))) throw notFound();
        const before = await detailsStore.lock(tx, workspaceId, externalUserId);
        const changed = (['name', 'email'] as const).filter(
          (field) => change[field] !== undefined && change[field] !== (before?.[field] ?? null),
        );
        if (changed.length === 0) return;
        await detailsStore.put(tx, workspaceId, externalUserId, change);
        await recordChange(tx, workspaceId, {
          action: 'end_user.updated',
          object: { id: null },
          changes: changed.map((field) => ({ field, before: null, after: 'changed' })),
        });
      });
    },

    /** Throws NOT_FOUND for a visitor who has not written to the bot yet. What is left out stays as it is. */
    async report(
      { workspaceId, externalUserId, botId }: { workspaceId: string; externalUserId: string; botId: string },
      { name, email, pageUrl, pageTitle, browser }: ReportedDetails,
    ): Promise<void> {
      const change = {
        ...withoutUndefined({ name: name && (plainLine(name) || undefined), email }),
        // Of one page, whose title may be empty.
        ...(pageUrl !== undefined && { pageUrl, pageTitle: plainLine(pageTitle ?? '') || null }),
        ...(browser !== undefined && { browser }),
        seenAt: clock.now(),
      };
      const id = await database.within(workspaceId).transaction(async (tx) => {
        const newest = await detailsStore.keepNewest(tx, workspaceId, { externalUserId, botId });
        if (newest) await detailsStore.put(tx, workspaceId, externalUserId, change);
        return newest;
      });
      if (!id) throw notFound();
      noteChange(workspaceId, 'conversation', id);
    },
  };
}

function toWire(externalUserId: string, row: DetailsRow | undefined): EndUserDetails {
  return {
    external_user_id: externalUserId,
    name: row?.name ?? null,
    email: row?.email ?? null,
    page_url: row?.pageUrl ?? null,
    page_title: row?.pageTitle ?? null,
    browser: row?.browser ?? null,
    seen_at: row?.seenAt?.toISOString() ?? null,
  };
}

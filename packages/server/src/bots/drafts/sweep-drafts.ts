import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DraftPlace, draftStore } from './drafts.store.ts';

const keptMilliseconds = 24 * 60 * 60 * 1000;
const batchSize = 100;

/** Deletes drafts that nobody has used for a day, except those that are still needed. */
export async function sweepDrafts(
  { database, clock }: { database: Database; clock: Clock },
  isNeeded: (draft: DraftPlace) => Promise<boolean>,
): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  for (const draft of await draftStore.listUnusedAcrossWorkspaces(
    database.acrossWorkspaces,
    before,
    batchSize,
  )) {
    const { workspaceId, botId, number } = draft;
    const query = database.within(workspaceId);
    // Those that are needed are looked at again a day later.
    if (await isNeeded(draft)) await draftStore.touch(query, workspaceId, botId, number);
    else await draftStore.delete(query, workspaceId, draft, before);
  }
}

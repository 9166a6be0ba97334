import { channelNames, rulesOf } from '@svc/contract/channels';
import type { FailedItem, Overview, WaitingCounts } from '@svc/contract/console-conversations';
import type { ConversationSearch } from '../../conversations/search/conversation-search.service.ts';
import { parseUsd } from '../../lib/money.ts';
import type { Services } from '../../services.ts';
import { maxItems, overviewStore } from './console-overview.store.ts';

export interface OverviewDependencies
  extends Pick<Services, 'billing' | 'clock' | 'database' | 'failedJobs' | 'models' | 'workspaces'> {
  search: Pick<ConversationSearch, 'listForMember' | 'listWaiting' | 'countWaiting'>;
}

export type OverviewService = ReturnType<typeof createOverviewService>;

const maxConversations = 20;
const dayMilliseconds = 86_400_000;
/** Jobs that failed because a source or a webhook did, which is listed itself. */
const shownOtherwise = new Set(['knowledge-ingestion', 'run-webhooks']);
/** A balance counts as low when this part of the credit is left, or less. */
const lowPart = 10n;

/** Chats, runs and calls; tests of bots are not traffic. */
const channels = channelNames.filter((name) => rulesOf(name).listedByDefault);

/** What waits for a person, what is running and what went wrong in a workspace. */
export function createOverviewService(dependencies: OverviewDependencies) {
  const { database, search, billing, workspaces, failedJobs, models, clock } = dependencies;

  async function countWaiting(workspaceId: string): Promise<WaitingCounts> {
    const [approvals, handoffs] = await Promise.all([
      overviewStore.countApprovals(database.within(workspaceId), workspaceId),
      search.countWaiting(workspaceId),
    ]);
    return { approvals, handoffs };
  }

  async function listFailedJobs(workspaceId: string, since: Date): Promise<FailedItem[]> {
    const { jobs } = await failedJobs.list(workspaceId, {});
    return jobs.flatMap(({ id, queue, error: reason, failed_at: at }) => {
      if (shownOtherwise.has(queue) || at <= since.toISOString()) return [];
      return [
        { kind: 'job', id, title: queue, bot_id: null, bot_name: null, conversation_id: null, at, reason },
      ];
    });
  }

  return {
    countWaiting,

    async read(workspaceId: string, memberId: string): Promise<Overview> {
      const now = clock.now();
      const today = now.toISOString().slice(0, 10);
      const since = new Date(now.getTime() - dayMilliseconds);
      const { creditUsd } = await workspaces.get(workspaceId);
      const [waiting, handoffs, forYou, running, failed, jobs, quietSince, begun, usage, setUp] =
        await Promise.all([
          countWaiting(workspaceId),
          search.listWaiting(workspaceId, maxConversations),
          search.listForMember(workspaceId, memberId, maxConversations),
          overviewStore.listRunning(database.within(workspaceId), workspaceId, channels),
          overviewStore.listFailed(database.within(workspaceId), workspaceId, since, channels),
          listFailedJobs(workspaceId, since),
          overviewStore.findQuietSince(database.within(workspaceId), workspaceId),
          overviewStore.countBegun(database.within(workspaceId), workspaceId, new Date(today), channels),
          billing.report(workspaceId, creditUsd, { from: today }),
          overviewStore.readSetUp(database.within(workspaceId), workspaceId),
        ]);
      const [spent] = usage.rows;
      const left = usage.balance_usd;
      return {
        waiting,
        handoffs,
        for_you: forYou,
        running: running.map(({ total: _total, started_at: at, ...item }) => ({
          ...item,
          started_at: toTimestamp(at),
        })),
        running_count: running[0]?.total ?? 0,
        failed: [
          ...failed.map(({ total: _total, at, ...item }) => ({ ...item, at: toTimestamp(at) })),
          ...jobs,
        ]
          .toSorted((one, other) => other.at.localeCompare(one.at))
          .slice(0, maxItems),
        failed_count: (failed[0]?.total ?? 0) + jobs.length,
        quiet_since: quietSince && toTimestamp(quietSince),
        today: {
          conversations: begun,
          cost_usd: spent ? spent.cost_usd : '0',
          unpriced_models: spent?.unpriced_models ?? [],
        },
        balance:
          creditUsd === null || left === null
            ? null
            : {
                credit_usd: creditUsd,
                left_usd: left,
                is_low: parseUsd(left) * lowPart <= parseUsd(creditUsd),
              },
        setup: { model: models.configured().length > 0, ...setUp },
      };
    },
  };
}

function toTimestamp(printed: string): string {
  return new Date(printed).toISOString();
}

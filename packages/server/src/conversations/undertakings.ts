import type { Call, CallDetail } from '@svc/contract/calls';
import { rulesOf } from '@svc/contract/channels';
import type { RunRow } from '../runs/runs.service.ts';
import type { Services } from '../services.ts';
import type { ConversationRow } from './conversations.store.ts';

/** What a conversation is, besides its messages: a run of an agent, or a call. */
export interface Undertaking {
  run?: RunRow | undefined;
  call?: Call | undefined;
}

export interface UndertakingDependencies {
  runs: Pick<Services['runs'], 'latestOf'>;
  voiceCalls: Pick<Services['voiceCalls'], 'ofConversations' | 'detailOf' | 'truncate'>;
}

/** Channels without runs or calls cost no query. */
export function createUndertakings({ runs, voiceCalls }: UndertakingDependencies) {
  return {
    async ofRows(
      workspaceId: string,
      rows: readonly ConversationRow[],
    ): Promise<(row: ConversationRow) => Undertaking> {
      const latest = await runs.latestOf(workspaceId, idsWith(rows, 'hasRuns'));
      const calls = await voiceCalls.ofConversations(workspaceId, idsWith(rows, 'hasCalls'));
      return ({ id }) => ({ run: latest.get(id), call: calls.get(id) });
    },

    async detailOf(
      workspaceId: string,
      row: ConversationRow,
    ): Promise<Undertaking & { call?: CallDetail | undefined }> {
      const latest = await runs.latestOf(workspaceId, idsWith([row], 'hasRuns'));
      const isCall = rulesOf(row.channel).hasCalls;
      const call = isCall ? await voiceCalls.detailOf(workspaceId, row.id) : undefined;
      return { run: latest.get(row.id), call };
    },
  };
}

function idsWith(rows: readonly ConversationRow[], rule: 'hasRuns' | 'hasCalls'): string[] {
  return rows.filter(({ channel }) => rulesOf(channel)[rule]).map(({ id }) => id);
}

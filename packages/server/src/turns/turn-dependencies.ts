import type { Channel } from '@svc/contract/channels';
import type { RevertedFile } from '@svc/contract/truncate';
import type { BotRow } from '../bots/bots.service.ts';
import type { Services } from '../services.ts';
import type { BoundFunction, ListOptions } from '../tools/tools.service.ts';
import type { LiveReplies } from './reply/live-replies.ts';
import type { PassageSearch } from './reply/passages/passage-search.ts';
import type { ReplyQuality } from './reply/reply-quality.ts';
import type { TurnLease } from './run/lease.ts';
import type { OpenToolCall } from './tool-calls/tool-call.ts';
import type { TurnOptions } from './turns.tables.ts';

export interface TurnTools {
  /** What the model can call in this turn. */
  functionsOf(lease: TurnLease, signal: AbortSignal, options?: ListOptions): Promise<BoundFunction[]>;
  /**
   * Throws why the turn's tools cannot work, before its model is asked. Undefined if there is nothing to check, as for most
   * bots, so that their turns do not wait.
   */
  requireReady(turn: PlannedTurn): Promise<void> | undefined;
  /** What the model is told of the places on machines that its tools work in; undefined if there is nothing to tell. */
  describePlaces(
    lease: TurnLease,
    bot: Pick<BotRow, 'id' | 'usesMachine'>,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Cancels what started calls may still do outside. Harmless when repeated, and for calls that are over. */
  withdraw(lease: Pick<TurnLease, 'workspaceId'>, calls: readonly MadeToolCall[]): Promise<void>;
  /**
   * Undoes the file changes of these calls, which come newest first, where nobody has changed the files since. Throws
   * MACHINE_OFFLINE if that is not possible now, and FORBIDDEN unless the caller may use the machines. Harmless when repeated.
   */
  revertChanges(
    workspaceId: string,
    calls: readonly MadeToolCall[],
    callerId: string,
  ): Promise<RevertedChange[]>;
}

/** A turn that is about to begin. */
export interface PlannedTurn {
  workspaceId: string;
  bot: Pick<BotRow, 'id' | 'usesMachine'>;
  channel: Channel;
  options: TurnOptions;
  /** It advances an agent's run, so no message can name a machine. */
  isRun: boolean;
}

/** A call that a model made. */
export type MadeToolCall = Pick<OpenToolCall, 'id' | 'toolType'>;

/** A file that a call changed, and what became of that change. */
export interface RevertedChange extends RevertedFile {
  callId: string;
}

/** What the steps of a turn work with. */
export interface TurnDependencies
  extends Pick<
    Services,
    | 'approvalGrants'
    | 'attachments'
    | 'toolGrants'
    | 'approvals'
    | 'billing'
    | 'bots'
    | 'branches'
    | 'clock'
    | 'conversations'
    | 'database'
    | 'feed'
    | 'log'
    | 'meters'
    | 'models'
    | 'nodeId'
    | 'runs'
    | 'spender'
    | 'telemetry'
    | 'traces'
    | 'workspaces'
  > {
  replies: LiveReplies;
  tools: TurnTools;
  knowledge: PassageSearch;
  quality: ReplyQuality;
}

import type { Channel } from '@svc/contract/channels';
import { createDraftTools, type DraftToolDependencies } from '../console/bots/draft-bot-tools.ts';
import { createStandInTools, type StandInToolDependencies } from '../evaluations/stand-in-tools.ts';
import { invalid } from '../lib/app-error.ts';
import type { RevertedFile } from '../machines/operations/machine-operation.ts';
import type { Services } from '../services.ts';
import { placesOf } from '../tools/code-places.ts';
import { requireMachines } from '../tools/require-machines.ts';
import type { CodeTarget, Planning } from '../tools/tools.service.ts';
import { describeProjects } from '../tools/types/coding/describe-projects.ts';
import type {
  MadeToolCall,
  PlannedTurn,
  RevertedChange,
  TurnLease,
  TurnTools,
} from '../turns/turns.service.ts';
import { type CallToolDependencies, createCallTools } from '../voice/talk/tools-in-calls.ts';

export type TurnToolDependencies = StandInToolDependencies &
  DraftToolDependencies &
  CallToolDependencies &
  Pick<Services, 'conversations' | 'database' | 'machines' | 'tools'>;

type PlannedConversation = Parameters<Planning['end']>[0];

/** What a turn may call: the tools of its bot, except in channels that put something else in their place. */
export function createTurnTools(dependencies: TurnToolDependencies): TurnTools {
  const { tools, machines, conversations, database } = dependencies;
  const byChannel: Partial<Record<Channel, Pick<TurnTools, 'functionsOf'>>> = {
    evaluation: createStandInTools(dependencies),
    test: createDraftTools(dependencies),
    voice: createCallTools(dependencies),
  };

  return {
    async functionsOf(lease, signal, listing) {
      const own = byChannel[lease.channel];
      if (own) return own.functionsOf(lease, signal, listing);
      const codeTarget = codeTargetOf(lease);
      const isPlanning = await isStillPlanning(lease);
      const options = {
        ...listing,
        ...(codeTarget && { codeTarget }),
        ...(isPlanning && { planning: { end: endPlanning } }),
      };
      const functions = await tools.functionsOf(lease.workspaceId, lease.botId, signal, options);
      return isPlanning ? functions.filter(({ hasEffects }) => !hasEffects) : functions;
    },

    requireReady(turn) {
      if (byChannel[turn.channel]) return undefined;
      if (turn.options.is_planning && !turn.bot.usesMachine) return refusePlan();
      const ofTurn = codeTargetOf(turn);
      if (!turn.bot.usesMachine && ofTurn?.machineId === undefined) return undefined;
      return requirePlaces(turn, ofTurn ?? {});
    },

    async describePlaces(lease, bot, signal) {
      const ofTurn = codeTargetOf(lease);
      if (byChannel[lease.channel] || (!bot.usesMachine && ofTurn?.machineId === undefined)) return undefined;
      const own = await tools.machineToolsOf(lease.workspaceId, bot.id);
      const { places } = placesOf(
        own.filter(({ asksToRead }) => !asksToRead),
        ofTurn ?? {},
      );
      return describeProjects(lease, places, machines, signal);
    },

    async withdraw({ workspaceId }, calls) {
      const ids = operationIds(calls);
      if (ids.length > 0) await machines.cancel(workspaceId, ids);
    },

    async revertChanges(workspaceId, calls, callerId) {
      const ids = operationIds(calls);
      const files = ids.length > 0 ? await machines.revert(workspaceId, ids, callerId) : [];
      return files.map(toRevertedChange);
    },
  };

  /** The plan may have been approved since the turn began. */
  async function isStillPlanning({ workspaceId, conversationId, options }: TurnLease): Promise<boolean> {
    if (!options.is_planning) return false;
    const { codeSession } = await conversations.getRow(workspaceId, conversationId);
    return codeSession?.is_planning === true;
  }

  async function endPlanning({ workspaceId, conversationId }: PlannedConversation): Promise<void> {
    if (conversationId === undefined) return;
    const { codeSession } = await conversations.getRow(workspaceId, conversationId);
    const { is_planning: _ended, ...session } = codeSession ?? {};
    const query = database.within(workspaceId);
    await conversations.rememberCodeSession(query, workspaceId, conversationId, session);
  }

  async function requirePlaces(
    { workspaceId, bot, isRun, options }: PlannedTurn,
    ofTurn: CodeTarget,
  ): Promise<void> {
    const own = bot.usesMachine ? await tools.machineToolsOf(workspaceId, bot.id) : [];
    const user = { callerId: options.acts_for, botId: bot.id };
    await requireMachines({ workspaceId, user, tools: own, ofTurn, isRun }, machines);
  }

  /** An operation has the id of its call. */
  function operationIds(calls: readonly MadeToolCall[]): string[] {
    return calls.filter(({ toolType }) => tools.worksOnMachine(toolType)).map(({ id }) => id);
  }
}

async function refusePlan(): Promise<never> {
  throw invalid('code_mode', 'needs a bot with a coding tool, which presents the plan');
}

function codeTargetOf({ options }: Pick<TurnLease, 'options'>): CodeTarget | undefined {
  const { code_machine_id: machineId, code_workdir: workdir } = options;
  if (machineId === undefined && workdir === undefined) return undefined;
  return {
    // Ids are compared as text.
    ...(machineId !== undefined && { machineId: machineId.toLowerCase() }),
    ...(workdir !== undefined && { workdir }),
  };
}

function toRevertedChange({ operationId, machineId, path, status, reason }: RevertedFile): RevertedChange {
  return {
    callId: operationId,
    path,
    machine_id: machineId,
    status,
    ...(reason !== undefined && { reason }),
  };
}

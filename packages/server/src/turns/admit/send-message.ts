import type { Attachment } from '@svc/contract/attachments';
import type { Channel } from '@svc/contract/channels';
import type { NewBranch } from '../../conversations/branches/branches.service.ts';
import {
  type CodeSession,
  type KnownConversation,
  titleOf,
} from '../../conversations/conversations.service.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { type AppError, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { RecentHistories } from '../run/recent-histories.ts';
import type { TurnRunner } from '../run/runner.ts';
import type { History } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TurnOptions } from '../turns.tables.ts';
import type { Admission, AdmittedTurn } from './admission.ts';
import { findTarget, type Target, type UserMessage } from './admission-target.ts';
import type { AdmitTurn } from './admit-turn.ts';
import { codeOptions, codeSessionOf, hasCode } from './code-options.ts';
import { toEndUserError } from './end-user-error.ts';
import type { EarlierHistory, TurnToAdmit } from './new-turn.ts';
import { turnInProgress } from './turn-in-progress.ts';

/** A turn that was started, as a repeated request must find it. */
export interface AcceptedTurn {
  conversation_id: string;
  turn_id: string;
  /** The number of its first event. */
  first_event: number;
}

export interface SendOptions {
  /** The message begins or continues a conversation of this channel, and of no other. */
  channel: Channel;
  /** The sender is the end user: conversations of other users, bots and channels do not exist for them. */
  isEndUser?: boolean;
  /** Why the bot must not be asked: thrown unless the conversation waits for a person. */
  refusal?: AppError | undefined;
  /** The version or draft of the bot that answers; left out: the current one. */
  version?: number | undefined;
  /** The message takes the place of another one of its conversation. */
  branch?: NewBranch | undefined;
  /** Instead of what the conversation remembers. */
  codeSession?: CodeSession | undefined;
  /** Opens a new conversation, in place of the bot's own greeting. */
  greeting?: string;
  /** The member or account key that sends it; left out for end users. */
  actsFor?: string | undefined;
  /** Names the turn in logs and errors. */
  requestId: string;
  traceParent?: string | undefined;
  record: RecordAnswer<AcceptedTurn>;
  /** The answer is recorded, in one transaction with the turn. */
  isRecorded: boolean;
  /** Called when the turn is written and before anything of it is published, so that its reader misses nothing. */
  onAdmitted: (accepted: AcceptedTurn) => void;
}

interface SendInput {
  workspaceId: string;
  message: UserMessage;
  /** The files that it is sent with. */
  files: Attachment[] | undefined;
  options: SendOptions;
}

export interface SendDependencies
  extends Pick<
    TurnDependencies,
    'attachments' | 'branches' | 'database' | 'bots' | 'models' | 'conversations' | 'tools'
  > {
  admitTurn: AdmitTurn;
  runner: Pick<TurnRunner, 'admitting'>;
  recent: Pick<RecentHistories, 'recall'>;
}

/**
 * Writes the message and starts the turn. Everything that can fail before the model is called fails here, except in a conversation
 * that waits for a person: there the bot is not asked.
 */
export function createSend(dependencies: SendDependencies) {
  const { attachments, database, branches, conversations, tools, admitTurn, runner, recent } = dependencies;

  return async (workspaceId: string, message: UserMessage, options: SendOptions): Promise<AcceptedTurn> => {
    try {
      const input = { workspaceId, message, files: await filesOf(workspaceId, message, options), options };
      return await sendTo(await look(input, { isFresh: false }), input);
    } catch (error) {
      throw options.isEndUser ? toEndUserError(error) : error;
    }
  };

  async function filesOf(
    workspaceId: string,
    { attachments: ids, external_user_id: externalUserId }: UserMessage,
    { branch, isEndUser = false }: SendOptions,
  ): Promise<Attachment[] | undefined> {
    if (branch) return branch.attachments ?? undefined;
    return ids && attachments.offered(workspaceId, ids, { externalUserId, isEndUser });
  }

  async function look(input: SendInput, { isFresh }: { isFresh: boolean }): Promise<Target> {
    const { workspaceId, message, options } = input;
    const { channel, isEndUser = false, refusal, version, isRecorded } = options;
    // A transaction with more to write should not find out only at its end that it must be repeated.
    return findTarget(workspaceId, message, dependencies, {
      channel,
      isEndUser,
      refusal,
      version,
      isFresh,
      isLookedFor: isRecorded,
      requireReady: (bot) =>
        tools.requireReady({ workspaceId, bot, channel, options: turnOptions(input), isRun: false }),
    });
  }

  async function sendTo(target: Target, input: SendInput): Promise<AcceptedTurn> {
    const turn = turnFor(target, input);
    const admission = await runner.admitting(turn.turnId, async () => {
      const outcome = await admit(turn, input);
      if (outcome.kind !== 'admitted') return outcome;
      input.options.onAdmitted(acceptedTurn(outcome));
      outcome.begin();
      return outcome;
    });
    switch (admission.kind) {
      case 'admitted':
        return acceptedTurn(admission);
      case 'elsewhere':
        return sendTo(
          { ...target, conversation: await withCodeSession(target, admission.conversation) },
          input,
        );
      case 'stale_bot':
        // A bot that was just read can only have been deleted.
        if (target.botRevision === null) throw notFound();
        return sendTo(await look(input, { isFresh: true }), input);
      case 'deleted':
        if (input.message.conversation_id !== undefined) throw notFound();
        // The user's latest conversation was deleted while the message was being written.
        return sendTo(await look(input, { isFresh: false }), input);
      case 'needs_reservation':
        // The workspace got its limit while the message was being written.
        return sendTo(target, input);
      case 'busy':
        throw turnInProgress(turn.conversationId);
    }
  }

  /** One statement in the plain case; a transaction if there is more to write, or money to reserve. */
  async function admit(
    turn: TurnToAdmit,
    { workspaceId, message, files, options }: SendInput,
  ): Promise<Admission> {
    const replaced = turn.newConversation ? undefined : message.metadata;
    const isCodeGiven = hasCode(message);
    if (!options.isRecorded && replaced === undefined && !isCodeGiven && !turn.branch && !files) {
      const outcome = await admitTurn(turn);
      if (outcome.kind !== 'needs_reservation') return outcome;
    }
    // Before the transaction, which must not be held while the history is read; a failure is thrown where it is used.
    await turn.earlier?.history.catch(() => undefined);
    return database.within(workspaceId).transaction(async (tx) => {
      const outcome = await admitTurn(turn, tx);
      if (outcome.kind !== 'admitted') return outcome;
      if (turn.branch) await branches.begin(tx, turn, turn.branch);
      if (files) await attachments.send(tx, turn, files);
      if (replaced !== undefined) {
        await conversations.replaceMetadata(tx, workspaceId, turn.conversationId, replaced);
      }
      if (isCodeGiven) {
        await conversations.rememberCodeSession(
          tx,
          workspaceId,
          turn.conversationId,
          codeSessionOf(turn.options),
        );
      }
      await options.record(tx, acceptedTurn(outcome));
      return outcome;
    });
  }

  function turnFor(target: Target, input: SendInput): TurnToAdmit {
    const { workspaceId, message, options } = input;
    const { bot, botRevision, conversation, isHandedOff, isOnlyIfFirst } = target;
    const place = conversation
      ? {
          conversationId: conversation.id,
          ...(!isHandedOff && { earlier: readEarlier(conversation, options.branch) }),
        }
      : {
          conversationId: newId(),
          newConversation: {
            externalUserId: message.external_user_id,
            title: titleOf(message.message),
            metadata: message.metadata ?? {},
            greeting: options.greeting ?? bot.settings.chat_greeting,
            isOnlyIfFirst,
          },
        };
    return {
      turnId: newId(),
      workspaceId,
      bot,
      botRevision,
      channel: options.channel,
      ...place,
      ...(options.branch && { branch: options.branch }),
      text: message.message,
      attachments: input.files,
      options: turnOptions(input, options.codeSession ?? conversation?.codeSession),
    };
  }

  /** Only bots that work on machines have one, so that others do not wait for it. */
  async function withCodeSession({ bot }: Target, conversation: KnownConversation) {
    if (!bot.usesMachine) return conversation;
    return conversations.getRow(conversation.workspaceId, conversation.id);
  }

  /** Read while the turn is being written. */
  function readEarlier(conversation: KnownConversation, branch: NewBranch | undefined): EarlierHistory {
    const read = async (): Promise<History> => {
      if (branch) return conversations.historyUntil(conversation, branch.afterSequence);
      return recent.recall(conversation) ?? conversations.historyThen(conversation);
    };
    const history = read();
    // A failure is thrown where the history is used.
    history.catch(() => undefined);
    return { history, lastSequence: conversation.lastSequence };
  }
}

function turnOptions({ message, options }: SendInput, remembered?: CodeSession | null): TurnOptions {
  return {
    request_id: options.requestId,
    ...(options.traceParent !== undefined && { trace_parent: options.traceParent }),
    ...(options.actsFor !== undefined && { acts_for: options.actsFor }),
    ...codeOptions(message, remembered ?? {}),
    ...(options.version !== undefined && { bot_version: options.version }),
  };
}

function acceptedTurn({ conversationId, turnId, firstEvent }: AdmittedTurn): AcceptedTurn {
  return { conversation_id: conversationId, turn_id: turnId, first_event: firstEvent };
}

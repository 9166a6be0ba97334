import {
  activeMilliseconds,
  type LiveMessage,
  type LiveRequest,
  type Looker,
  maxFollowed,
  signedOutCode,
} from '@svc/contract/live';
import { hasRole } from '@svc/contract/roles';
import { followConversation } from '../../events/follow-conversation.ts';
import { AppError } from '../../lib/app-error.ts';
import { createTokenBucket } from '../../lib/token-bucket.ts';
import type { MemberService } from '../../members/members.service.ts';
import type { Services } from '../../services.ts';
import { isUuid } from '../../validation/is-uuid.ts';
import type { LiveHub } from './hub.ts';
import type { Lookers } from './lookers.ts';

/** How a console is reached. */
export interface LiveSocket {
  send(text: string): void;
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}

export type MemberPrincipal = Parameters<MemberService['enterAgain']>[0];

export interface LiveConnectionDependencies
  extends Pick<Services, 'assigning' | 'log' | 'members' | 'reading' | 'turns' | 'typing'> {
  hub: LiveHub;
  lookers: Lookers;
  release(): Promise<string>;
}

type LookRequest = Extract<LiveRequest, { type: 'look' }>;

export type LiveConnection = ReturnType<typeof createLiveConnection>;

/** Sessions end by themselves after some time, and a notification can be lost. */
const checkEveryMilliseconds = 60_000;
/** More often than any console says what its member looks at. */
const looksPerSecond = 1;
const maxLooks = 10;
const serviceRestart = 1012;
const tryAgainLater = 1013;
const badRequest = 1008;

/** The service's side of one console's connection. */
export function createLiveConnection(
  dependencies: LiveConnectionDependencies,
  principal: MemberPrincipal,
  socket: LiveSocket,
) {
  const { hub, lookers, reading, turns, typing, assigning, members, release, log } = dependencies;
  const { workspaceId, member } = principal;
  /** What ends the following of each conversation. */
  const followed = new Map<string, () => void>();
  const peer = { send: socket.send };
  const looks = createTokenBucket({ perSecond: looksPerSecond, capacity: maxLooks });
  const actives = createTokenBucket({ perSecond: 1_000 / activeMilliseconds, capacity: 2 });
  /** What the member may do now. */
  let { role } = member;
  /** Of the followed conversation that the member has open. */
  let looking: { id: string; place: ReturnType<Lookers['enter']> } | undefined;
  /** What the console said last, perhaps before the conversation was found. */
  let lastLook: LookRequest | undefined;
  const opening = new Set<string>();
  let isClosed = false;
  const unwatch = members.onChanged(member.id, () => void check(true));
  const checks = setInterval(() => void check(false), checkEveryMilliseconds).unref();
  void greet();

  function send(message: LiveMessage): void {
    socket.send(JSON.stringify(message));
  }

  async function greet(): Promise<void> {
    try {
      const [name] = await Promise.all([release(), hub.join(workspaceId, peer)]);
      send({ type: 'hello', release: name, takes_looks: true });
      // The session may have ended since the request was let in.
      await check(false);
    } catch (error) {
      fail(error);
    } finally {
      if (isClosed) hub.leave(workspaceId, peer);
    }
  }

  async function check(hasChanged: boolean): Promise<void> {
    try {
      role = (await members.enterAgain(principal)).member.role;
      if (hasChanged) send({ type: 'changed', object: 'member', id: member.id });
    } catch (error) {
      // Other failures say nothing about the session.
      if (error instanceof AppError && error.code !== 'NOT_READY') close(signedOutCode, 'Signed out.');
    }
  }

  function close(code: number, reason: string): void {
    leave();
    socket.close(code, reason);
  }

  function fail(error: unknown): void {
    log.warn({ err: error, workspace_id: workspaceId }, 'A console could not be kept up to date.');
    close(tryAgainLater, 'Something went wrong on our side; connect again.');
  }

  function leave(): void {
    if (isClosed) return;
    isClosed = true;
    unwatch();
    clearInterval(checks);
    for (const stop of followed.values()) stop();
    followed.clear();
    lookAway();
    hub.leave(workspaceId, peer);
  }

  function unfollow(conversationId: string): void {
    if (looking?.id === conversationId) lookAway();
    if (lastLook?.conversation_id === conversationId) lastLook = undefined;
    endFollowing(conversationId);
  }

  function endFollowing(conversationId: string): void {
    followed.get(conversationId)?.();
    followed.delete(conversationId);
    opening.delete(conversationId);
  }

  function lookAway(): void {
    looking?.place.leave();
    looking = undefined;
  }

  /** Only at a conversation that this console follows: it was found in the workspace. */
  function look(request: LookRequest): void {
    const { conversation_id: id, is_typing: isTyping } = request;
    lastLook = request;
    if (!followed.has(id) || opening.has(id) || !looks.tryTake(1)) return;
    if (looking?.id !== id) {
      lookAway();
      const show = (others: Looker[]) => send({ type: 'lookers', conversation_id: id, lookers: others });
      looking = { id, place: lookers.enter(id, member, show) };
    }
    const mayWrite = hasRole(role, 'operator');
    looking.place.look(isTyping && mayWrite);
    if (isTyping && mayWrite) void tellUser(id);
  }

  async function tellUser(id: string): Promise<void> {
    try {
      await typing.byMember(workspaceId, id, member);
    } catch (error) {
      // The conversation may have been deleted. The next look tries again.
      log.debug({ err: error, workspace_id: workspaceId }, 'A user could not be told who is typing.');
    }
  }

  async function noteActive(): Promise<void> {
    if (!actives.tryTake(1)) return;
    try {
      await assigning.noteActive(workspaceId, member.id);
    } catch (error) {
      // The member counts as away until the next time.
      log.debug({ err: error, workspace_id: workspaceId }, 'It could not be noted that a member is there.');
    }
  }

  /** A repeated request begins again at its own position. */
  async function follow({
    conversation_id: id,
    after,
  }: Extract<LiveRequest, { type: 'follow' }>): Promise<void> {
    endFollowing(id);
    if (followed.size >= maxFollowed) {
      unfollow(id);
      return send({
        type: 'unfollowed',
        conversation_id: id,
        code: 'VALIDATION_FAILED',
        message: `A console can follow at most ${maxFollowed} conversations at a time.`,
      });
    }
    let isStopped = false;
    const mark = () => {
      isStopped = true;
    };
    followed.set(id, mark);
    opening.add(id);
    try {
      const start = await turns.startOfReading(workspaceId, { conversation_id: id }, after);
      if (isStopped) return;
      const stop = followConversation(reading, {
        workspaceId,
        conversationId: id,
        after: start,
        send(events) {
          for (const { type, sequence, data } of events)
            send({ type: 'event', conversation_id: id, event: type, id: sequence, data });
        },
        drained: socket.drained,
        onFailed: (error) => giveUp(id, error),
      });
      followed.set(id, stop);
      opening.delete(id);
      if (lastLook?.conversation_id === id) look(lastLook);
    } catch (error) {
      if (!isStopped) giveUp(id, error);
    }
  }

  /** A conversation that is gone is reported; after any other failure the console connects again and resumes. */
  function giveUp(id: string, error: unknown): void {
    unfollow(id);
    if (!(error instanceof AppError) || error.code === 'NOT_READY') return fail(error);
    send({ type: 'unfollowed', conversation_id: id, code: error.code, message: error.message });
  }

  return {
    onFrame(data: Buffer, isBinary: boolean): void {
      if (isClosed) return;
      const request = readRequest(data, isBinary);
      if (!request) return close(badRequest, 'This is not a request of the protocol.');
      if (request.type === 'unfollow') unfollow(request.conversation_id);
      else if (request.type === 'look') look(request);
      else if (request.type === 'active') void noteActive();
      else void follow(request);
    },
    onClose: leave,
    /** This node is stopping. */
    end: (): void => close(serviceRestart, 'This node is stopping; connect again.'),
  };
}

/** What a console sent; undefined if it is not a request of the protocol. */
function readRequest(data: Buffer, isBinary: boolean): LiveRequest | undefined {
  const value = isBinary ? undefined : parse(data.toString());
  if (typeof value !== 'object' || value === null) return undefined;
  if ('type' in value && value.type === 'active') return { type: 'active' };
  const { type, conversation_id: id, after, is_typing: isTyping } = value as Record<string, unknown>;
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  // Ids are compared as text.
  const conversationId = id.toLowerCase();
  if (type === 'unfollow') return { type, conversation_id: conversationId };
  if (type === 'look' && typeof isTyping === 'boolean')
    return { type, conversation_id: conversationId, is_typing: isTyping };
  if (type !== 'follow') return undefined;
  if (after === undefined) return { type, conversation_id: conversationId };
  if (!Number.isSafeInteger(after) || (after as number) < 0) return undefined;
  return { type, conversation_id: conversationId, after: after as number };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { type LiveMessage, type LiveRequest, maxFollowed, signedOutCode } from '@svc/contract/live';
import { followConversation } from '../../events/follow-conversation.ts';
import { AppError } from '../../lib/app-error.ts';
import type { MemberService } from '../../members/members.service.ts';
import type { Services } from '../../services.ts';
import { isUuid } from '../../validation/is-uuid.ts';
import type { LiveHub } from './hub.ts';

/** How a console is reached. */
export interface LiveSocket {
  send(text: string): void;
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}

export type MemberPrincipal = Parameters<MemberService['enterAgain']>[0];

export interface LiveConnectionDependencies extends Pick<Services, 'log' | 'members' | 'reading' | 'turns'> {
  hub: LiveHub;
  release(): Promise<string>;
}

export type LiveConnection = ReturnType<typeof createLiveConnection>;

/** Sessions end by themselves after some time, and a notification can be lost. */
const checkEveryMilliseconds = 60_000;
const serviceRestart = 1012;
const tryAgainLater = 1013;
const badRequest = 1008;

/** The service's side of one console's connection. */
export function createLiveConnection(
  dependencies: LiveConnectionDependencies,
  principal: MemberPrincipal,
  socket: LiveSocket,
) {
  const { hub, reading, turns, members, release, log } = dependencies;
  const { workspaceId, member } = principal;
  /** What ends the following of each conversation. */
  const followed = new Map<string, () => void>();
  const peer = { send: socket.send };
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
      send({ type: 'hello', release: name });
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
      await members.enterAgain(principal);
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
    hub.leave(workspaceId, peer);
  }

  function unfollow(conversationId: string): void {
    followed.get(conversationId)?.();
    followed.delete(conversationId);
  }

  /** A repeated request begins again at its own position. */
  async function follow({
    conversation_id: id,
    after,
  }: Extract<LiveRequest, { type: 'follow' }>): Promise<void> {
    unfollow(id);
    if (followed.size >= maxFollowed) {
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
  const { type, conversation_id: id, after } = value as Record<string, unknown>;
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  // Ids are compared as text.
  const conversationId = id.toLowerCase();
  if (type === 'unfollow') return { type, conversation_id: conversationId };
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

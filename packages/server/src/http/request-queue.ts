import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import { findCaller } from './access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Lets the workspace's next request start, once this one only waits. Further calls do nothing. */
    leaveQueue: () => void;
  }
}

export interface RequestQueueLimits {
  /** How many requests of a workspace are processed concurrently while other workspaces send some too. */
  concurrency: number;
  /** A request that takes longer than this is waiting for something else, and no longer counts. */
  maxHeldMs: number;
  /** After this long without a request, no room is kept for a workspace. */
  recentMs: number;
  /** The longest queue of one workspace, in requests and in bytes of their bodies. */
  maxWaiting: number;
  maxWaitingBytes: number;
}

const usual: RequestQueueLimits = {
  concurrency: 2,
  maxHeldMs: 50,
  recentMs: 1_000,
  maxWaiting: 1_000,
  maxWaitingBytes: 32 * 1024 * 1024,
};

interface Queue {
  underWay: number;
  /** In order of arrival; calling one starts that request. */
  waiting: Set<() => void>;
  waitingBytes: number;
}

/**
 * While several workspaces send requests, only a few of each are processed concurrently, and the others wait in a queue per
 * workspace, so that a busy workspace does not slow down the rest. A workspace that is alone never waits.
 */
export function createRequestQueue(limits: RequestQueueLimits = usual) {
  const { concurrency, maxHeldMs, recentMs } = limits;
  const queues = new Map<string, Queue>();
  const isShared = createSharing(recentMs);

  function giveBack(workspaceId: string, queue: Queue): void {
    // The next in the queue starts instead, unless more were started while the workspace was alone.
    const [next] = queue.waiting;
    if (next && queue.underWay <= concurrency) return next();
    queue.underWay -= 1;
    if (queue.underWay === 0) queues.delete(workspaceId);
  }

  /** Resolves when this request may start, with a function that ends it; undefined if the caller left before that. */
  async function enter(
    workspaceId: string,
    bytes: number,
    response: ServerResponse,
  ): Promise<(() => void) | undefined> {
    const queue = queues.get(workspaceId) ?? { underWay: 0, waiting: new Set(), waitingBytes: 0 };
    queues.set(workspaceId, queue);
    if (!isShared(workspaceId) || queue.underWay < concurrency) queue.underWay += 1;
    else {
      requireRoom(queue, bytes, limits);
      if (!(await waitInQueue(queue, bytes, response))) return undefined;
    }
    let isInside = true;
    const leave = () => {
      if (isInside) giveBack(workspaceId, queue);
      isInside = false;
      clearTimeout(timer);
    };
    const timer = setTimeout(leave, maxHeldMs).unref();
    return leave;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = findCaller(request);
    if (!caller) return;
    const leave = await enter(caller.workspaceId, heldBytes(request), reply.raw);
    if (leave && !reply.raw.closed) {
      request.leaveQueue = leave;
      reply.raw.once('close', leave);
      return;
    }
    // The caller has left: the work is not started, and the next request is.
    leave?.();
    reply.hijack();
  };
}

/** The size of a body that is held in memory. */
function heldBytes({ body, headers, routeOptions }: FastifyRequest): number {
  if (body === undefined || body === null) return 0;
  return Number(headers['content-length'] ?? routeOptions.bodyLimit ?? 0);
}

/** Throws RATE_LIMITED when the queue is full. The first entry may be of any size. */
function requireRoom(queue: Queue, bytes: number, { maxWaiting, maxWaitingBytes }: RequestQueueLimits): void {
  const { size } = queue.waiting;
  if (size < maxWaiting && (size === 0 || queue.waitingBytes + bytes <= maxWaitingBytes)) return;
  throw new AppError('RATE_LIMITED', {
    message: 'Too many requests of this workspace are waiting. Try again when some have been answered.',
    details: [{ limit: 'waiting_requests', value: maxWaiting }],
    retryAfterSeconds: 1,
  });
}

/** True when this request may start; false when the caller left, which removes it from the queue. */
function waitInQueue(queue: Queue, bytes: number, response: ServerResponse): Promise<boolean> {
  const { waiting } = queue;
  queue.waitingBytes += bytes;
  return new Promise((resolve) => {
    const proceed = () => settle(true);
    const giveUp = () => settle(false);
    const settle = (mayStart: boolean) => {
      queue.waitingBytes -= bytes;
      waiting.delete(proceed);
      response.off('close', giveUp);
      resolve(mayStart);
    };
    waiting.add(proceed);
    response.once('close', giveUp);
  });
}

/** Records which workspace sends a request, and returns whether another one did recently. */
function createSharing(recentMs: number): (workspaceId: string) => boolean {
  let current = new Set<string>();
  let before = new Set<string>();
  let changeAt = 0;
  return (workspaceId) => {
    const now = performance.now();
    if (now >= changeAt) {
      before = now >= changeAt + recentMs ? new Set() : current;
      current = new Set();
      changeAt = now + recentMs;
    }
    current.add(workspaceId);
    return current.size > 1 || before.size > 1 || (before.size === 1 && !before.has(workspaceId));
  };
}

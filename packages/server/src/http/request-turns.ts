import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Lets the next request of the workspace go on; for what only waits from here on. Harmless when repeated. */
    leaveTurn: () => void;
  }
}

export interface TurnLimits {
  /** What a workspace may have under way at once while others ask too. */
  atOnce: number;
  /** What takes longer than this is waiting for something else, and counts no more. */
  longestMs: number;
  /** A workspace that was quiet for as long as this need not be made room for. */
  recentMs: number;
  /** What may stand in the line of one workspace: so many requests, with bodies of so many bytes together. */
  mostWaiting: number;
  mostWaitingBytes: number;
}

const usual: TurnLimits = {
  atOnce: 2,
  longestMs: 50,
  recentMs: 1_000,
  mostWaiting: 1_000,
  mostWaitingBytes: 32 * 1024 * 1024,
};

interface Line {
  underWay: number;
  /** In their order; each goes on when it is called. */
  waiting: Set<() => void>;
  waitingBytes: number;
}

/**
 * While several workspaces ask, only few requests of each are worked on at once, and its others wait in a line of their
 * own: whoever asks little finds few before it, however much somebody else sends. Nobody waits who asks alone.
 */
export function createRequestTurns(limits: TurnLimits = usual) {
  const { atOnce, longestMs, recentMs } = limits;
  const lines = new Map<string, Line>();
  const isShared = createSharing(recentMs);

  function giveBack(workspaceId: string, line: Line): void {
    // Whoever waits takes the place over, so that nobody comes in between; not those that were taken while nobody else asked.
    const [next] = line.waiting;
    if (next && line.underWay <= atOnce) return next();
    line.underWay -= 1;
    if (line.underWay === 0) lines.delete(workspaceId);
  }

  /** Resolves with how to leave, when it is this request's turn; undefined if its caller went away before that. */
  async function enter(
    workspaceId: string,
    bytes: number,
    response: ServerResponse,
  ): Promise<(() => void) | undefined> {
    const line = lines.get(workspaceId) ?? { underWay: 0, waiting: new Set(), waitingBytes: 0 };
    lines.set(workspaceId, line);
    if (!isShared(workspaceId) || line.underWay < atOnce) line.underWay += 1;
    else {
      requireRoom(line, bytes, limits);
      if (!(await waitInLine(line, bytes, response))) return undefined;
    }
    let isInside = true;
    const leave = () => {
      if (isInside) giveBack(workspaceId, line);
      isInside = false;
      clearTimeout(timer);
    };
    const timer = setTimeout(leave, longestMs).unref();
    return leave;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!request.principal) return;
    const leave = await enter(request.principal.workspaceId, heldBytes(request), reply.raw);
    if (leave && !reply.raw.closed) {
      request.leaveTurn = leave;
      reply.raw.once('close', leave);
      return;
    }
    // Nobody is there to be answered: the work is not begun, and whoever is next goes on.
    leave?.();
    reply.hijack();
  };
}

/** The size of a body that has been read. */
function heldBytes({ body, headers, routeOptions }: FastifyRequest): number {
  if (body === undefined || body === null) return 0;
  return Number(headers['content-length'] ?? routeOptions.bodyLimit ?? 0);
}

/** Throws RATE_LIMITED when the line is full. The first may be of any size. */
function requireRoom(line: Line, bytes: number, { mostWaiting, mostWaitingBytes }: TurnLimits): void {
  const { size } = line.waiting;
  if (size < mostWaiting && (size === 0 || line.waitingBytes + bytes <= mostWaitingBytes)) return;
  throw new AppError('RATE_LIMITED', {
    message: 'Too many requests of this workspace are waiting. Try again when some have been answered.',
    details: [{ limit: 'waiting_requests', value: mostWaiting }],
    retryAfterSeconds: 1,
  });
}

/** Whether its turn came; else the caller has gone, and it stands in the line no more. */
function waitInLine(line: Line, bytes: number, response: ServerResponse): Promise<boolean> {
  const { waiting } = line;
  line.waitingBytes += bytes;
  return new Promise((resolve) => {
    const goOn = () => settle(true);
    const giveUp = () => settle(false);
    const settle = (isItsTurn: boolean) => {
      line.waitingBytes -= bytes;
      waiting.delete(goOn);
      response.off('close', giveUp);
      resolve(isItsTurn);
    };
    waiting.add(goOn);
    response.once('close', giveUp);
  });
}

/** Records which workspace asks, and returns whether another one did a moment ago. */
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

import type { FastifyReply, FastifyRequest } from 'fastify';

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
}

const usual: TurnLimits = { atOnce: 2, longestMs: 50, recentMs: 1_000 };

interface Line {
  underWay: number;
  waiting: (() => void)[];
}

/**
 * While several workspaces ask, only few requests of each are worked on at once, and its others wait in a line of their
 * own: whoever asks little finds few before it, however much somebody else sends. Nobody waits who asks alone.
 */
export function createRequestTurns({ atOnce, longestMs, recentMs }: TurnLimits = usual) {
  const lines = new Map<string, Line>();
  const isShared = createSharing(recentMs);

  function giveBack(workspaceId: string, line: Line): void {
    // Whoever waits takes the place over, so that nobody comes in between.
    const next = line.waiting.shift();
    if (next) return next();
    line.underWay -= 1;
    if (line.underWay === 0) lines.delete(workspaceId);
  }

  /** Resolves with how to leave, when it is this request's turn. At the latest it leaves by itself. */
  async function enter(workspaceId: string): Promise<() => void> {
    const line = lines.get(workspaceId) ?? { underWay: 0, waiting: [] };
    lines.set(workspaceId, line);
    if (isShared(workspaceId) && line.underWay >= atOnce) {
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    } else line.underWay += 1;
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
    const leave = await enter(request.principal.workspaceId);
    request.leaveTurn = leave;
    // The caller may have gone while this waited; then nothing closes any more.
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
  };
}

/** Takes note of who asks, and says whether somebody else did so a moment ago. */
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InProgress, InProgressKind } from '../limits/in-progress.ts';
import { limitOf } from '../limits/workspace-limits.ts';
import { callerOf } from './access.ts';

/** A workspace's limits on concurrent work. Both throw RATE_LIMITED when the workspace has no place left. */
export interface Places {
  /** Takes a place until the response closes, however it ends. */
  whileOpen(kind: InProgressKind, request: FastifyRequest, reply: FastifyReply): void;
  /** Takes a place until the work is over, even if the caller no longer waits for it. */
  during<Result>(kind: InProgressKind, request: FastifyRequest, work: () => Promise<Result>): Promise<Result>;
}

export function createPlaces(inProgress: InProgress): Places {
  function enter(kind: InProgressKind, request: FastifyRequest) {
    const { workspaceId, limits } = callerOf(request);
    return inProgress.enter(kind, workspaceId, limitOf(limits, kind));
  }
  return {
    whileOpen(kind, request, reply) {
      const leave = enter(kind, request);
      // A response that is already closed emits no further close.
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
    },
    async during(kind, request, work) {
      const leave = enter(kind, request);
      request.leaveTurn();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import type { InProgress, InProgressKind, Leave } from '../limits/in-progress.ts';
import { limitOf } from '../limits/workspace-limits.ts';
import { callerOf } from './access.ts';
import type { EndUserPrincipal } from './end-user.ts';

export type ConcurrencyLimits = ReturnType<typeof createConcurrencyLimits>;

/** Enough for a person with many tabs, and too few to leave none for others. */
const maxStreamsPerUser = 12;
const retryAfterSeconds = 5;

/** A workspace's limits on concurrent work. Both throw RATE_LIMITED when the workspace or the end user has reached its limit. */
export function createConcurrencyLimits(inProgress: InProgress) {
  function enter(kind: InProgressKind, request: FastifyRequest): Leave {
    const { workspaceId, limits } = callerOf(request);
    try {
      return inProgress.enter(kind, workspaceId, limitOf(limits, kind));
    } catch (error) {
      throw request.endUser && error instanceof AppError ? withoutDetails(error) : error;
    }
  }

  function enterAsUser({ issuerId, externalUserId }: EndUserPrincipal): Leave {
    const name = `${issuerId} ${externalUserId}`;
    if (inProgress.current('streams', name) >= maxStreamsPerUser) throw tooManyStreams();
    return inProgress.count('streams', name);
  }

  return {
    /** Counts until the response closes, however it ends. */
    whileOpen(kind: InProgressKind, request: FastifyRequest, reply: FastifyReply): void {
      const leaveOwn = request.endUser && kind === 'streams' ? enterAsUser(request.endUser) : undefined;
      let leaveShared: Leave;
      try {
        leaveShared = enter(kind, request);
      } catch (error) {
        leaveOwn?.();
        throw error;
      }
      const leave = () => {
        leaveOwn?.();
        leaveShared();
      };
      // A response that is already closed emits no further close.
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
    },
    /** Counts until the work is over, even if the caller no longer waits for it. */
    async during<Result>(kind: InProgressKind, request: FastifyRequest, work: () => Promise<Result>) {
      const leave = enter(kind, request);
      request.leaveQueue();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/** What a workspace may have, and how that is changed, is not for its end users. */
function withoutDetails({ code }: AppError): AppError {
  return new AppError(code, { retryAfterSeconds });
}

function tooManyStreams(): AppError {
  return new AppError('RATE_LIMITED', {
    message: `This user has ${maxStreamsPerUser} open streams: close some of them.`,
    details: [{ limit: 'streams_per_user', value: maxStreamsPerUser }],
    retryAfterSeconds,
  });
}

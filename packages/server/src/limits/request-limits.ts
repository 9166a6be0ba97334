import { AppError } from '../app-error.ts';
import { addressGroup } from './address-group.ts';
import type { Counted, RequestCounter } from './request-counter.ts';
import type { StoredLimits } from './workspace-limits.ts';

/** A caller's current rate, as sent in headers. */
export interface RequestRate {
  limit: number;
  remaining: number;
  resetSeconds: number;
  isOver: boolean;
}

export interface Caller {
  keyId: string;
  workspaceId: string;
  limits: StoredLimits;
}

/** Every method returns undefined, synchronously, where no limit is set. */
export interface RequestLimits {
  /** Counts a request with a valid key. */
  admit(caller: Caller): Promise<RequestRate> | undefined;
  /** Counts a request whose key is invalid or not yet verified. */
  countStranger(address: string): Promise<RequestRate> | undefined;
  /** Undoes it when the key turns out to be valid. */
  takeBackStranger(address: string): Promise<void> | undefined;
}

/** All keys of a workspace together may send as many requests as this many keys. */
const keysAtFullRate = 5;

export interface RequestLimitsOptions {
  counter: RequestCounter;
  /** For workspaces without their own limit, and for requests without a valid key. */
  perMinute: number | undefined;
}

export function createRequestLimits({ counter, perMinute }: RequestLimitsOptions): RequestLimits {
  async function count({ keyId, workspaceId }: Caller, limit: number): Promise<RequestRate> {
    const ofKey = rate(limit, await counter.add(`key ${keyId}`));
    // Requests beyond a key's own limit do not count against the workspace's other keys.
    if (ofKey.isOver) return ofKey;
    const ofWorkspace = rate(limit * keysAtFullRate, await counter.add(`workspace ${workspaceId}`));
    return ofWorkspace.isOver || ofWorkspace.remaining < ofKey.remaining ? ofWorkspace : ofKey;
  }

  const placeOf = (address: string) => `address ${addressGroup(address)}`;

  return {
    admit(caller) {
      const { requests_per_minute: limit = perMinute ?? null } = caller.limits;
      return limit === null ? undefined : count(caller, limit);
    },

    countStranger(address) {
      if (perMinute === undefined) return undefined;
      return counter.add(placeOf(address)).then((counted) => rate(perMinute, counted));
    },

    takeBackStranger(address) {
      return perMinute === undefined ? undefined : counter.takeBack(placeOf(address));
    },
  };
}

function rate(limit: number, { count, millisecondsLeft }: Counted): RequestRate {
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)),
    isOver: count > limit,
  };
}

export function tooManyRequests({ limit, resetSeconds }: RequestRate): AppError {
  return new AppError('RATE_LIMITED', {
    message: `More than ${limit} requests within a minute: wait ${resetSeconds} seconds.`,
    details: [{ limit: 'requests_per_minute', value: limit }],
    retryAfterSeconds: resetSeconds,
  });
}

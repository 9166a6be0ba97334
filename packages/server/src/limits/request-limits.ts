import { AppError } from '../app-error.ts';
import { addressGroup } from './address-group.ts';
import type { Counted, RequestCounter } from './request-counter.ts';
import type { StoredLimits } from './workspace-limits.ts';

/** Where a caller stands, as it is told in headers. */
export interface RequestRate {
  limit: number;
  remaining: number;
  resetSeconds: number;
  isOver: boolean;
}

export interface Asking {
  keyId: string;
  workspaceId: string;
  limits: StoredLimits;
}

/** Every method returns undefined, at once, where no limit is set. */
export interface RequestLimits {
  /** Counts a request of a good key. */
  admit(asking: Asking): Promise<RequestRate> | undefined;
  /** Counts a request whose key is wrong, or not known yet. */
  countStranger(address: string): Promise<RequestRate> | undefined;
  /** The key was good after all. */
  takeBackStranger(address: string): Promise<void> | undefined;
}

/** All keys of a workspace together may ask as often as this many of them. */
const keysAtFullRate = 5;

export interface RequestLimitsOptions {
  counter: RequestCounter;
  /** Where a workspace has no limit of its own, and for strangers. */
  perMinute: number | undefined;
}

export function createRequestLimits({ counter, perMinute }: RequestLimitsOptions): RequestLimits {
  async function count({ keyId, workspaceId }: Asking, limit: number): Promise<RequestRate> {
    const ofKey = rate(limit, await counter.add(`key ${keyId}`));
    // What a key asks beyond its own limit is not taken from the others.
    if (ofKey.isOver) return ofKey;
    const ofWorkspace = rate(limit * keysAtFullRate, await counter.add(`workspace ${workspaceId}`));
    return ofWorkspace.isOver || ofWorkspace.remaining < ofKey.remaining ? ofWorkspace : ofKey;
  }

  const placeOf = (address: string) => `address ${addressGroup(address)}`;

  return {
    admit(asking) {
      const { requests_per_minute: limit = perMinute ?? null } = asking.limits;
      return limit === null ? undefined : count(asking, limit);
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

import { AppError } from '../app-error.ts';
import { addressGroup } from './address-group.ts';
import type { Counted, Quota, RequestCounter } from './request-counter.ts';
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
  /** Callers that share what the workspace may send, apart from its account keys. */
  pool?: string;
  limits: StoredLimits;
}

/** The rate of a caller that may turn out to have a valid key. */
export interface StrangerRate extends RequestRate {
  /** Undoes the count. */
  takeBack(): Promise<void>;
}

/** `admit` and `countStranger` return undefined, synchronously, where no limit is set. */
export interface RequestLimits {
  /** Counts a request with a valid key. */
  admit(caller: Caller): Promise<RequestRate> | undefined;
  /** Counts a request whose key is invalid or not yet verified. */
  countStranger(address: string): Promise<StrangerRate> | undefined;
  /** Counts a new visitor of a widget, by the address and the widget key. This limit is always set. */
  countNewVisitor(address: string, widgetKeyId: string): Promise<RequestRate>;
  /**
   * Counts an attempt to prove who somebody is: by a password, where the person is named, or by a link. This limit is always set.
   */
  countSignIn(address: string, person?: string): Promise<RequestRate>;
}

/** All keys of a workspace together may send as many requests as this many keys. */
const keysAtFullRate = 5;
const windowSeconds = 60;
const newVisitorsPerHour = 100;
/** Within 15 minutes: of one person from one network, of all people from one network, of one person from everywhere. */
const signIns = { ofPersonHere: 10, here: 100, ofPerson: 100, windowSeconds: 900 };

export interface RequestLimitsOptions {
  counter: RequestCounter;
  /** For workspaces without their own limit, and for requests without a valid key. */
  perMinute: number | undefined;
  /** Secret, and the same on all nodes. */
  keyedHash: (text: string) => Buffer;
}

export function createRequestLimits({ counter, perMinute, keyedHash }: RequestLimitsOptions): RequestLimits {
  async function count({ keyId, workspaceId, pool }: Caller, limit: number): Promise<RequestRate> {
    // Where nothing is admitted, there is nothing to count.
    if (limit === 0) return { limit, remaining: 0, resetSeconds: windowSeconds, isOver: true };
    const poolName = pool === undefined ? `workspace ${workspaceId}` : `pool ${pool}`;
    // Requests beyond a key's own limit do not count against the workspace's other keys.
    const quotas: Quota[] = [
      { name: `key ${keyId}`, limit, windowSeconds },
      { name: poolName, limit: limit * keysAtFullRate, windowSeconds },
    ];
    return toRate(await counter.add(quotas));
  }

  async function countAddress(address: string, limit: number): Promise<StrangerRate> {
    const name = `address ${addressGroup(address, keyedHash)}`;
    const counted = await counter.add([{ name, limit, windowSeconds, isRevocable: true }]);
    return { ...toRate(counted), takeBack: () => counter.takeBack(counted) };
  }

  return {
    admit(caller) {
      const { requests_per_minute: limit = perMinute ?? null } = caller.limits;
      return limit === null ? undefined : count(caller, limit);
    },

    countStranger(address) {
      return perMinute === undefined ? undefined : countAddress(address, perMinute);
    },

    async countNewVisitor(address, widgetKeyId) {
      const name = `visitors ${widgetKeyId} ${addressGroup(address, keyedHash)}`;
      return toRate(await counter.add([{ name, limit: newVisitorsPerHour, windowSeconds: 3_600 }]));
    },

    async countSignIn(address, person) {
      const { windowSeconds: seconds } = signIns;
      const group = addressGroup(address, keyedHash);
      const here = { name: `sign-ins at ${group}`, limit: signIns.here, windowSeconds: seconds };
      if (person === undefined) return toRate(await counter.add([here]));
      const name = `sign-ins of ${keyedHash(`sign-ins of ${person}`).toString('base64url')}`;
      const ofPersonHere = {
        name: `${name} at ${group}`,
        limit: signIns.ofPersonHere,
        windowSeconds: seconds,
      };
      const rate = toRate(await counter.add([ofPersonHere, here]));
      if (rate.isOver) return rate;
      // Counted on its own: a person has several networks and a network several people, so rows of both, locked together in
      // different orders, could block each other.
      return toRate(await counter.add([{ name, limit: signIns.ofPerson, windowSeconds: seconds }]));
    },
  };
}

function toRate({ isAdmitted, quota: { limit }, count, millisecondsLeft }: Counted): RequestRate {
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)),
    isOver: !isAdmitted,
  };
}

export function tooManyRequests({ limit, resetSeconds }: RequestRate): AppError {
  return new AppError('RATE_LIMITED', {
    message: `More than ${limit} requests within a minute: wait ${resetSeconds} seconds.`,
    details: [{ limit: 'requests_per_minute', value: limit }],
    retryAfterSeconds: resetSeconds,
  });
}

export function tooManySignIns({ resetSeconds }: RequestRate): AppError {
  const minutes = Math.ceil(resetSeconds / 60);
  return new AppError('RATE_LIMITED', {
    message: `Too many attempts: try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    retryAfterSeconds: resetSeconds,
  });
}

import { AppError } from '../lib/app-error.ts';
import { addressGroup } from './address-group.ts';
import type { Counted, Quota, RequestCounter } from './request-counter.ts';
import type { StoredLimits } from './workspace-limits.ts';

/** A caller's current rate, as sent in headers. */
export type RequestRate = ReturnType<typeof toRate>;

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
export type RequestLimits = ReturnType<typeof createRequestLimits>;

export interface SignInAttempt {
  /** The email in lower case, whether there is such an account or not. */
  person: string;
  address: string;
  /** The id of a browser in which this person has signed in before. */
  browser: string | undefined;
}

export interface SignInRate extends RequestRate {
  /** The browser if it is known, the network otherwise. */
  group: string;
  isKnown: boolean;
  /** So many attempts have come from the network that the next ones have to wait. */
  isPaced: boolean;
}

/** All keys of a workspace together may send as many requests as this many keys. */
const keysAtFullRate = 5;
const windowSeconds = 60;
const newVisitorsPerHour = 100;
/**
 * Within 15 minutes. Attempts in a known browser count in that browser only. Others count for the person in their network and for
 * the person everywhere. A network is never refused, since many people may share it; it is slowed down after this many.
 */
const signIns = { inBrowser: 10, ofPersonHere: 10, ofPerson: 100, hereUntilPaced: 100 };
const badLinks = 100;
const passwordChecks = 10;
const invitationMailsPerHour = { ofLink: 5, ofWorkspace: 50 };
const attemptSeconds = 900;

export interface RequestLimitsOptions {
  counter: RequestCounter;
  /** For workspaces without their own limit, and for requests without a valid key. */
  perMinute: number | undefined;
  /** Secret, and the same on all nodes. */
  keyedHash: (text: string) => Buffer;
}

export function createRequestLimits({ counter, perMinute, keyedHash }: RequestLimitsOptions) {
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
    /** Counts a request with a valid key. */
    admit(caller: Caller): Promise<RequestRate> | undefined {
      const { requests_per_minute: limit = perMinute ?? null } = caller.limits;
      return limit === null ? undefined : count(caller, limit);
    },

    /** Counts a request whose key is invalid or not yet verified. */
    countStranger(address: string): Promise<StrangerRate> | undefined {
      return perMinute === undefined ? undefined : countAddress(address, perMinute);
    },

    /** Counts a new visitor of a widget, by the address and the widget key. This limit is always set. */
    async countNewVisitor(address: string, widgetKeyId: string): Promise<RequestRate> {
      const name = `visitors ${widgetKeyId} ${addressGroup(address, keyedHash)}`;
      return toRate(await counter.add([{ name, limit: newVisitorsPerHour, windowSeconds: 3_600 }]));
    },

    /** Counts an attempt to sign in. This limit is always set, like the following ones. */
    async countSignIn({ person, address, browser }: SignInAttempt): Promise<SignInRate> {
      if (browser !== undefined) {
        const rate = await countAttempt(`sign-ins in ${browser}`, signIns.inBrowser);
        return { ...rate, group: browser, isKnown: true, isPaced: false };
      }
      const group = String(addressGroup(address, keyedHash));
      const name = `sign-ins of ${keyedHash(`sign-ins of ${person}`).toString('base64url')}`;
      // Each is counted on its own: a person has several networks and a network several people, so rows of both, locked together
      // in different orders, could block each other.
      const ofPersonHere = await countAttempt(`${name} at ${group}`, signIns.ofPersonHere);
      const rate = ofPersonHere.isOver ? ofPersonHere : await countAttempt(name, signIns.ofPerson);
      if (rate.isOver) return { ...rate, group, isKnown: false, isPaced: false };
      const { isOver: isPaced } = await countAttempt(`sign-ins at ${group}`, signIns.hereUntilPaced);
      return { ...rate, group, isKnown: false, isPaced };
    },

    /** Counts a link that does not work, by its purpose. Those that work are not counted, so they cannot be used up for others. */
    countBadLink: (address: string, purpose: string): Promise<RequestRate> =>
      countAttempt(`bad links for ${purpose} at ${addressGroup(address, keyedHash)}`, badLinks),

    /** Counts a mail that a person requests with the link of an open invitation. A workspace can have many of those. */
    async countInvitationMail(invitationId: string, workspaceId: string): Promise<RequestRate> {
      const { ofLink, ofWorkspace } = invitationMailsPerHour;
      const quotas: Quota[] = [
        { name: `mails for ${invitationId}`, limit: ofLink, windowSeconds: 3_600 },
        { name: `invitation mails of ${workspaceId}`, limit: ofWorkspace, windowSeconds: 3_600 },
      ];
      return toRate(await counter.add(quotas));
    },

    /** Counts an attempt of a signed-in person to give their password. */
    countPasswordCheck: (userId: string): Promise<RequestRate> =>
      countAttempt(`password checks of ${userId}`, passwordChecks),
  };

  async function countAttempt(name: string, limit: number): Promise<RequestRate> {
    return toRate(await counter.add([{ name, limit, windowSeconds: attemptSeconds }]));
  }
}

function toRate({ isAdmitted, quota: { limit }, count, millisecondsLeft }: Counted) {
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

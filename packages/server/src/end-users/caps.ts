import { createHash } from 'node:crypto';
import type { MessageCaps, Sender } from '../http/end-user.ts';
import { AppError } from '../lib/app-error.ts';
import { createGrowingLru } from '../lib/growing-lru.ts';
import { createHourlyWarnings } from '../lib/hourly-warnings.ts';
import { formatUsd, parseUsd } from '../lib/money.ts';
import type { MessageCounter } from '../limits/message-counter.ts';
import type { Counted, Quota } from '../limits/request-counter.ts';
import type { Services } from '../services.ts';

export interface MessageCapsDependencies extends Pick<Services, 'billing' | 'log'> {
  counter: MessageCounter;
}

const windowSeconds = 3_600;
const maxRemembered = 20_000;
/** How long a sender that has cost too much is refused unread. Not longer, because its next message may be for a person. */
const overspentMilliseconds = 1_000;
/** How long a sender that was below its limit of cost is not looked at again. */
const belowMilliseconds = 2_000;

export function createMessageCaps({ counter, billing, log }: MessageCapsDependencies): MessageCaps {
  const overspending = createGrowingLru<AppError>(maxRemembered, { ttl: overspentMilliseconds });
  const below = createGrowingLru<true>(maxRemembered, { ttl: belowMilliseconds });
  const warnHourly = createHourlyWarnings(log);
  /** Messages that were sent here, whose repeats are not counted. */
  const sent = createGrowingLru<true>(maxRemembered);

  /** Undefined if the sender may still cost something. */
  async function findOverspending(sender: Sender): Promise<AppError | undefined> {
    const { workspaceId, externalUserId, caps } = sender;
    const name = spendName(sender);
    if (caps.usdPerDay === null || below.has(name)) return undefined;
    const seconds = await billing.secondsOverLimit(workspaceId, externalUserId, caps.usdPerDay);
    if (seconds !== null) return overspent(sender, seconds);
    below.set(name, true);
    return undefined;
  }

  /** Its visitors see that many people are writing; only the owner of the key can change that. */
  function warnOfKey({ widgetKey }: Sender, { quota }: Counted): void {
    if (!widgetKey || !isOfKey(quota)) return;
    const fields = { widget_key_id: widgetKey.id, rate_limit_per_hour: quota.limit };
    warnHourly(
      widgetKey.id,
      fields,
      'A widget key has reached its rate_limit_per_hour: messages are refused.',
    );
  }

  async function takeBack(counted: Counted): Promise<void> {
    try {
      await counter.takeBack(counted);
    } catch (error) {
      log.warn({ err: error }, 'A message that was refused could not be taken back: it stays counted.');
    }
  }

  return {
    refuseKnown(sender) {
      if (sender.idempotencyKey !== undefined && sent.has(messageName(sender))) return;
      const refusal = overspending.get(spendName(sender));
      if (refusal) throw refusal;
      const refused = counter.findRefusal(quotasOf(sender));
      if (refused) throw tooManyMessages(sender, refused);
    },

    async during(sender, send) {
      const refusal = await findOverspending(sender);
      const quotas = quotasOf(sender);
      const counted = quotas.length > 0 ? await counter.add(quotas) : undefined;
      if (counted && !counted.isAdmitted) {
        warnOfKey(sender, counted);
        throw tooManyMessages(sender, counted);
      }
      try {
        const result = await send(refusal);
        if (sender.idempotencyKey !== undefined) sent.set(messageName(sender), true);
        return result;
      } catch (error) {
        if (refusal && error === refusal) overspending.set(spendName(sender), refusal);
        // After any other error the message may have been stored.
        if (counted && error instanceof AppError) await takeBack(counted);
        throw error;
      }
    },

    async mayCostMore({ workspaceId, externalUserId, caps }, unrecorded) {
      if (caps.usdPerDay === null) return true;
      const left = parseUsd(caps.usdPerDay) - unrecorded;
      if (left <= 0n) return false;
      return (await billing.secondsOverLimit(workspaceId, externalUserId, formatUsd(left))) === null;
    },
  };
}

/**
 * The narrowest first. The name of a visitor's quota contains the key, so that no two keys share it: rows are locked in the order of
 * the widest quotas.
 */
function quotasOf({ workspaceId, externalUserId, caps, widgetKey }: Sender): Quota[] {
  const common = { windowSeconds, isRevocable: true };
  const person = hash(`${workspaceId} ${externalUserId}`);
  const quotas: Quota[] = [];
  if (caps.messagesPerHour !== null) {
    const name = widgetKey ? `visitor ${widgetKey.id} ${person}` : `user ${person}`;
    quotas.push({ name, limit: caps.messagesPerHour, ...common });
  }
  if (widgetKey) quotas.push({ name: `widget ${widgetKey.id}`, limit: widgetKey.messagesPerHour, ...common });
  return quotas;
}

function isOfKey({ name }: Quota): boolean {
  return name.startsWith('widget ');
}

/** Hashed, so that no table of counts contains an id of a person. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const spendName = ({ workspaceId, externalUserId, caps }: Sender) =>
  `${workspaceId} ${caps.usdPerDay} ${externalUserId}`;

const messageName = ({ workspaceId, externalUserId, idempotencyKey }: Sender) =>
  hash(JSON.stringify([workspaceId, externalUserId, idempotencyKey]));

function tooManyMessages({ widgetKey }: Sender, { quota, millisecondsLeft }: Counted): AppError {
  const seconds = Math.max(1, Math.ceil(millisecondsLeft / 1_000));
  const limit = widgetKey ? 'visitor_messages_per_hour' : 'max_messages_per_hour';
  return new AppError('RATE_LIMITED', {
    message: `More than ${quota.limit} messages within an hour: wait ${seconds} seconds.`,
    details: [{ limit: isOfKey(quota) ? 'rate_limit_per_hour' : limit, value: quota.limit }],
    retryAfterSeconds: seconds,
  });
}

function overspent({ caps, widgetKey }: Sender, secondsLeft: number): AppError {
  const seconds = Math.max(1, Math.ceil(secondsLeft));
  return new AppError('RATE_LIMITED', {
    message: `The messages of the last 24 hours have cost as much as they may: wait ${seconds} seconds.`,
    details: [{ limit: widgetKey ? 'visitor_usd_per_day' : 'max_usd_per_day', value: caps.usdPerDay }],
    retryAfterSeconds: seconds,
  });
}

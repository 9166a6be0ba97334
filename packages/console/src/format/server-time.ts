/** How far the clock of this computer is behind the service's, in milliseconds. */
let offset = 0;

/**
 * Learns from the `Date` of an answer, which has whole seconds, what the service's clock shows. A clock that agrees with
 * what was known is left alone: a slow answer says little.
 */
export function noteServerTime(date: string | null, sentAt: number, receivedAt: number): void {
  const answeredAt = Date.parse(date ?? '');
  const least = answeredAt - receivedAt;
  const most = answeredAt + 1_000 - sentAt;
  // Without a date, or if the clock was set back meanwhile, it says nothing.
  if (least <= most) offset = Math.min(Math.max(offset, least), most);
}

/** The service's time in milliseconds. Times of the service are compared with it, not with a clock that may be wrong. */
export function serverNow(): number {
  return Date.now() + offset;
}

/** A limit on the requests within a window, which starts with the first request. */
export interface Quota {
  name: string;
  limit: number;
  windowSeconds: number;
  /** Requests may be taken back, so a quota that is used up can have room again before its window ends. */
  isRevocable?: boolean;
}

/** How much of a quota is used. */
export interface QuotaUse {
  count: number;
  millisecondsLeft: number;
}

export interface Counted extends QuotaUse {
  isAdmitted: boolean;
  /** The quota that the count is of: the one with the least left, or one that is used up. */
  quota: Quota;
  /** The other quotas that it was counted against. */
  others?: readonly Counted[];
  /** This process has counted on its own, because the shared counter does not work. */
  isLocal?: boolean;
}

/** Counts requests per quota. Quotas of the same name share a count, whichever process counts. */
export interface RequestCounter {
  /** Counts a request against each quota, or against none if one of them is used up. The narrowest quota comes first. */
  add(quotas: readonly Quota[]): Promise<Counted>;
  /** Undoes an `add` of this quota alone, if its window is not over yet. */
  takeBack(counted: Counted): Promise<void>;
}

/** The result for quotas and their use. Of several that are used up, it is the one that stays so for longest. */
export function toCounted(isAdmitted: boolean, quotas: readonly Quota[], uses: readonly QuotaUse[]): Counted {
  const all = quotas.flatMap((quota, index): Counted[] => {
    const use = uses[index];
    return use && (isAdmitted || use.count >= quota.limit) ? [{ isAdmitted, quota, ...use }] : [];
  });
  const left = ({ quota, count, millisecondsLeft }: Counted) =>
    isAdmitted ? quota.limit - count : -millisecondsLeft;
  const [first, ...others] = all;
  if (!first) throw new Error('A request was refused although none of its quotas is used up.');
  const least = others.reduce((lowest, other) => (left(other) < left(lowest) ? other : lowest), first);
  return isAdmitted && others.length > 0 ? { ...least, others: all.filter((one) => one !== least) } : least;
}

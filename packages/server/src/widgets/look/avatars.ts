import { LRUCache } from 'lru-cache';
import { EgressFailed, EgressRefused } from '../../egress/egress-error.ts';
import type { GuardedLane } from '../../egress/guarded-lane.ts';
import { pictureType } from '../../lib/picture-type.ts';

export interface Avatar {
  bytes: Buffer;
  type: string;
}

export type Avatars = ReturnType<typeof createAvatars>;

const maxBytes = 512 * 1024;
const maxCachedBytes = 32 * 1024 * 1024;
const keptMilliseconds = 60 * 60 * 1000;
/** Visitors must not make us try an unreachable address again and again. */
const failureKeptMilliseconds = 60_000;
const timeoutMs = 10_000;
const none = Symbol('no picture');

/** Pictures from other servers, so that visitors do not reveal themselves to those, and pages need not allow them. */
export function createAvatars({ lane }: { lane: Pick<GuardedLane, 'request'> }) {
  const cached = new LRUCache<string, Avatar | typeof none>({
    maxSize: maxCachedBytes,
    sizeCalculation: (entry) => (entry === none ? 1024 : entry.bytes.length + 1024),
    ttl: keptMilliseconds,
    ttlResolution: 0,
  });
  const pending = new Map<string, Promise<Avatar | undefined>>();

  return {
    /** Undefined if there is no usable picture at the address. */
    get(url: string): Promise<Avatar | undefined> {
      const known = cached.get(url);
      if (known) return Promise.resolve(known === none ? undefined : known);
      const loading = pending.get(url) ?? load(url).finally(() => pending.delete(url));
      pending.set(url, loading);
      return loading;
    },
  };

  async function load(url: string): Promise<Avatar | undefined> {
    const avatar = await download(url);
    if (avatar) cached.set(url, avatar);
    else cached.set(url, none, { ttl: failureKeptMilliseconds });
    return avatar;
  }

  async function download(url: string): Promise<Avatar | undefined> {
    try {
      const { status, body, truncated } = await lane.request({
        url,
        headers: { accept: 'image/webp, image/png, image/jpeg, image/gif' },
        timeoutMs,
        maxResponseBytes: maxBytes,
        mayVisit: ({ protocol }) => protocol === 'https:',
      });
      const type = status === 200 && !truncated ? pictureType(body) : undefined;
      return type === undefined ? undefined : { bytes: body, type };
    } catch (error) {
      if (error instanceof EgressFailed || error instanceof EgressRefused) return undefined;
      throw error;
    }
  }
}

import { LRUCache } from 'lru-cache';

/** An LRU cache that grows as it is filled: with `max`, the library allocates all places at once, which takes milliseconds. */
export function createGrowingLru<Value extends {}, Key extends {} = string>(
  maxEntries: number,
  options: { ttl?: number; ttlResolution?: number } = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ ...options, maxSize: maxEntries, sizeCalculation: () => 1 });
}

import { randomId } from '../../api/random-id.ts';

export interface Upload {
  key: string;
  workspaceId: string;
  name: string;
  /** From 0 to 1. */
  progress: number;
  /** Why it was not accepted. */
  error: string | undefined;
}

export interface NewUpload extends Pick<Upload, 'workspaceId' | 'name' | 'error'> {
  /** Throws if it fails or is cancelled. */
  send(onProgress: (progress: number) => void, signal: AbortSignal): Promise<void>;
  explain(error: unknown): string;
}

interface Waiting extends NewUpload {
  key: string;
  cancelled: AbortController;
}

const concurrency = 2;

/** Files on their way, a few at a time. Each is sent on its own, so that one that fails does not stop the others. */
export function createUploadQueue(onBusy: (isBusy: boolean) => void = () => undefined) {
  let uploads: readonly Upload[] = [];
  const waiting: Waiting[] = [];
  const unfinished = new Map<string, AbortController>();
  const listeners = new Set<() => void>();
  let sending = 0;

  function show(next: readonly Upload[]): void {
    uploads = next;
    for (const listener of listeners) listener();
  }
  const change = (key: string, part: Partial<Upload>) =>
    show(uploads.map((one) => (one.key === key ? { ...one, ...part } : one)));
  const drop = (key: string) => show(uploads.filter((one) => one.key !== key));

  async function work(): Promise<void> {
    if (sending >= concurrency) return;
    sending += 1;
    for (let next = waiting.shift(); next; next = waiting.shift()) await send(next);
    sending -= 1;
  }

  async function send({ key, cancelled, ...upload }: Waiting): Promise<void> {
    if (cancelled.signal.aborted) return;
    try {
      await upload.send((progress) => change(key, { progress }), cancelled.signal);
      drop(key);
    } catch (error) {
      if (!cancelled.signal.aborted) change(key, { error: upload.explain(error) });
    } finally {
      finish(key);
    }
  }

  function finish(key: string): void {
    unfinished.delete(key);
    onBusy(unfinished.size > 0);
  }

  return {
    list: () => uploads,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Those with an error are shown, and not sent. */
    add(added: readonly NewUpload[]): void {
      const keyed = added.map((one) => ({ ...one, key: randomId(), cancelled: new AbortController() }));
      show([
        ...uploads,
        ...keyed.map(({ key, workspaceId, name, error }) => ({ key, workspaceId, name, error, progress: 0 })),
      ]);
      const sent = keyed.filter(({ error }) => error === undefined);
      for (const one of sent) unfinished.set(one.key, one.cancelled);
      onBusy(unfinished.size > 0);
      waiting.push(...sent);
      for (let index = 0; index < concurrency; index += 1) void work();
    },
    /** Cancels it if it is on its way. */
    remove(key: string): void {
      unfinished.get(key)?.abort();
      finish(key);
      drop(key);
    },
  };
}

import type { WidgetApi, WidgetEventName } from '../protocol.ts';

export interface PageEvents {
  on: WidgetApi['on'];
  emit(name: WidgetEventName, data: unknown): void;
}

/** What the page hears through `svc.on`. `ready` happens once, and later subscribers hear it too. */
export function createPageEvents(): PageEvents {
  const listeners = new Map<WidgetEventName, Set<(data: unknown) => void>>();
  let isReady = false;
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      if (name === 'ready' && isReady) listener(undefined);
      return () => void set.delete(listener);
    },
    emit(name, data) {
      if (name === 'ready' && isReady) return;
      isReady ||= name === 'ready';
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(data);
        } catch (error) {
          // The page's own mistake: it is reported as one, and the widget continues.
          reportError(error);
        }
      }
    },
  };
}

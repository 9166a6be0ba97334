import { createWidgetKeyCache } from './key-cache.ts';
import { createWidgetService, type WidgetDependencies, type WidgetService } from './service.ts';
import { widgetChangedChannel } from './store.ts';

export type OpenWidgetsOptions = Omit<WidgetDependencies, 'cache'>;

export interface OpenedWidgets {
  service: WidgetService;
  /** Handlers of PostgreSQL's notifications. */
  notifications: Record<string, (payload: string) => void>;
  /** Call when notifications start or stop arriving. */
  setListening(isListening: boolean): void;
  /** Call when the limits of a workspace were changed. */
  onLimitsChanged(): void;
  /** Call regularly: ends streams of keys that have expired, or whose change was not noticed. */
  recheck(): void;
}

/** Wires website widgets together. */
export function openWidgets(options: OpenWidgetsOptions): OpenedWidgets {
  const cache = createWidgetKeyCache();
  return {
    service: createWidgetService({ ...options, cache }),
    notifications: { [widgetChangedChannel]: cache.forget },
    setListening: cache.setTrusted,
    onLimitsChanged: cache.clear,
    recheck: cache.recheck,
  };
}

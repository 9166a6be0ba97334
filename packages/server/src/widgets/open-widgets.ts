import type { GuardedLane } from '../egress/guarded-lane.ts';
import { type CustomizationService, createCustomizationService } from './customization/service.ts';
import { createWidgetKeyCache } from './key-cache.ts';
import { createWidgetService, type WidgetDependencies, type WidgetService } from './service.ts';
import { widgetChangedChannel } from './store.ts';

export interface OpenWidgetsOptions extends Omit<WidgetDependencies, 'cache'> {
  guardedLane: GuardedLane;
}

export interface OpenedWidgets {
  service: WidgetService;
  customizations: CustomizationService;
  /** Handlers of PostgreSQL's notifications. */
  notifications: Record<string, (payload: string) => void>;
  /** Call when notifications start or stop arriving. */
  setListening(isListening: boolean): void;
  /** Call when the limits of a workspace were changed. */
  onLimitsChanged(): void;
}

/** Wires website widgets together. */
export function openWidgets(options: OpenWidgetsOptions): OpenedWidgets {
  const cache = createWidgetKeyCache();
  return {
    service: createWidgetService({ ...options, cache }),
    customizations: createCustomizationService({ ...options, cache, pictures: options.guardedLane }),
    notifications: { [widgetChangedChannel]: cache.forget },
    setListening: cache.setTrusted,
    onLimitsChanged: cache.clear,
  };
}

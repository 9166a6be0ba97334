import type { GuardedLane } from '../egress/guarded-lane.ts';
import { type CustomizationService, createCustomizationService } from './customization/service.ts';
import { createWidgetKeyCache } from './key-cache.ts';
import { type Avatars, createAvatars } from './look/avatars.ts';
import { createWidgetService, type WidgetDependencies, type WidgetService } from './service.ts';
import { widgetChangedChannel } from './store.ts';

export interface OpenWidgetsOptions extends Omit<WidgetDependencies, 'cache'> {
  guardedLane: GuardedLane;
}

export interface OpenedWidgets {
  service: WidgetService;
  /** What the routes of widgets work with. */
  routes: { widgets: WidgetService; customizations: CustomizationService; avatars: Avatars };
  /** Handlers of PostgreSQL's notifications. */
  notifications: Record<string, (payload: string) => void>;
  /** Call when notifications start or stop arriving. */
  setListening(isListening: boolean): void;
  /** Call when the limits of a workspace were changed. */
  onLimitsChanged(): void;
}

/** Wires website widgets together. */
export function openWidgets(options: OpenWidgetsOptions): OpenedWidgets {
  const { guardedLane } = options;
  const cache = createWidgetKeyCache();
  const service = createWidgetService({ ...options, cache });
  return {
    service,
    routes: {
      widgets: service,
      customizations: createCustomizationService({ ...options, cache, pictures: guardedLane }),
      avatars: createAvatars({ lane: guardedLane }),
    },
    notifications: { [widgetChangedChannel]: cache.forget },
    setListening: cache.setTrusted,
    onLimitsChanged: cache.clear,
  };
}

import type { GuardedLane } from '../egress/guarded-lane.ts';
import {
  type CustomizationService,
  createCustomizationService,
} from './customization/widget-customization.service.ts';
import { type Avatars, createAvatars } from './look/avatars.ts';
import {
  createVisitorService,
  type VisitorDependencies,
  type VisitorService,
} from './visitor/widget-visitor.service.ts';
import { createWidgetKeyCache } from './widget-key-cache.ts';
import { createWidgetService, type WidgetDependencies, type WidgetService } from './widgets.service.ts';
import { widgetChangedChannel } from './widgets.store.ts';

export type OpenWidgetsOptions = Omit<WidgetDependencies, 'cache'> &
  Omit<VisitorDependencies, 'widgets'> & { guardedLane: GuardedLane };

export interface OpenedWidgets {
  service: WidgetService;
  /** What the routes of widgets work with. */
  routes: {
    widgets: WidgetService;
    customizations: CustomizationService;
    avatars: Avatars;
    visitors: VisitorService;
  };
  /** Call when a widget key was changed by other means than the service. */
  forget(keyId: string): void;
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
      visitors: createVisitorService({ ...options, widgets: service }),
    },
    forget: cache.forget,
    notifications: { [widgetChangedChannel]: cache.forget },
    setListening: cache.setTrusted,
    onLimitsChanged: cache.clear,
  };
}

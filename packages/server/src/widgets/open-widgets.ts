import { createRevocableCache } from '../lib/revocable-cache.ts';
import type { Feature, Services } from '../services.ts';
import { limitsChannel } from '../workspaces/workspaces.service.ts';
import { createCustomizationService } from './customization/widget-customization.service.ts';
import { widgetFileRoutes } from './files/widget-files.routes.ts';
import { createAvatars } from './look/avatars.ts';
import { lookRoutes } from './look/widget-look.routes.ts';
import { visitorRoutes } from './visitor/widget-visitor.routes.ts';
import { createVisitorService, type VisitorDependencies } from './visitor/widget-visitor.service.ts';
import { widgetRoutes } from './widgets.routes.ts';
import { createWidgetService, type WidgetDependencies } from './widgets.service.ts';
import { type FoundWidgetKey, widgetChangedChannel } from './widgets.store.ts';

/** Each key is cached by itself and by its id. */
const maxEntries = 2 * 2_000;

/** Website widgets: their keys and look, and the visitors who write in them. */
export function openWidgets(
  services: Omit<WidgetDependencies, 'cache'> &
    Omit<VisitorDependencies, 'widgets'> &
    Pick<Services, 'guardedLane' | 'meters'>,
): Feature<Pick<Services, 'avatars' | 'customizations' | 'visitors' | 'widgetKeyCache' | 'widgets'>> {
  const { guardedLane, meters } = services;
  const cache = createRevocableCache<FoundWidgetKey>(maxEntries, (isHit) =>
    meters.cacheLookups.add(1, 'widget_keys', isHit ? 'hit' : 'miss'),
  );
  const widgets = createWidgetService({ ...services, cache });
  return {
    services: {
      widgets,
      widgetKeyCache: cache,
      customizations: createCustomizationService({ ...services, cache, pictures: guardedLane }),
      avatars: createAvatars({ lane: guardedLane }),
      visitors: createVisitorService({ ...services, widgets }),
    },
    routes: [widgetRoutes, lookRoutes, visitorRoutes, widgetFileRoutes],
    notifications: { [widgetChangedChannel]: cache.forget, [limitsChannel]: cache.clear },
    setListening: cache.setTrusted,
  };
}

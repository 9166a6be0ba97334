import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const widgetRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'widgets',
    component: lazyRouteComponent(() => import('./widgets-page.tsx'), 'WidgetsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'widgets/$bot',
    component: lazyRouteComponent(() => import('./widget-page.tsx'), 'WidgetPage'),
  }),
];

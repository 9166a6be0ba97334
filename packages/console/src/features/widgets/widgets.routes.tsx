import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const widgetRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'widgets',
    component: lazyPage(() => import('./widgets-page.tsx'), 'WidgetsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'widgets/$bot',
    component: lazyPage(() => import('./widget-page.tsx'), 'WidgetPage'),
  }),
];

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
];

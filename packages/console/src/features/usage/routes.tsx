import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const usageRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'usage',
    component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
  }),
];

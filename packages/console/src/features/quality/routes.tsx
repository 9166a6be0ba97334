import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const qualityRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'quality',
    component: lazyRouteComponent(() => import('./quality-page.tsx'), 'QualityPage'),
  }),
];

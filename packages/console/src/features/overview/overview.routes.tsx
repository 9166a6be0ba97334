import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/',
    component: lazyPage(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
];

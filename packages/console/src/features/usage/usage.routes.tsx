import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const usageRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'usage',
    component: lazyPage(() => import('./usage-page.tsx'), 'UsagePage'),
  }),
];

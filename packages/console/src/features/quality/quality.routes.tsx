import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const qualityRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'quality',
    component: lazyPage(() => import('./quality-page.tsx'), 'QualityPage'),
  }),
];

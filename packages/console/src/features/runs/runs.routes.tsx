import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const runRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'runs',
    component: lazyPage(() => import('./runs-page.tsx'), 'RunsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'runs/calendar',
    component: lazyPage(() => import('./calendar-page.tsx'), 'RunCalendarPage'),
  }),
];

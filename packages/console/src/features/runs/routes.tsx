import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const runRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'runs',
    component: lazyRouteComponent(() => import('./runs-page.tsx'), 'RunsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'runs/calendar',
    component: lazyRouteComponent(() => import('./calendar-page.tsx'), 'RunCalendarPage'),
  }),
];

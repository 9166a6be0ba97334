import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const machineRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'machines',
    component: lazyRouteComponent(() => import('./machines-page.tsx'), 'MachinesPage'),
  }),
];

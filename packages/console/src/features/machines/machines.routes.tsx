import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const machineRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'machines',
    component: lazyPage(() => import('./machines-page.tsx'), 'MachinesPage'),
  }),
];

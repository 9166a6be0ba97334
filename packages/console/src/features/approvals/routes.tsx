import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'approvals/{-$approval}',
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
];

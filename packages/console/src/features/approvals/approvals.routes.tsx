import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'approvals/{-$approval}',
    component: lazyPage(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
];

import { createRoute, lazyRouteComponent, Navigate, useParams } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

function SettingsStart() {
  const { workspace } = useParams({ strict: false });
  return <Navigate to={`/w/${workspace}/settings/workspace`} replace />;
}

export const settingsRoutes = [
  createRoute({ getParentRoute: () => workspaceRoute, path: 'settings', component: SettingsStart }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/workspace',
    component: lazyRouteComponent(() => import('./workspace/workspace-page.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/members',
    component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/keys',
    component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/webhooks',
    component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/audit',
    component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/system',
    component: lazyRouteComponent(() => import('./system/system-page.tsx'), 'SystemPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/profile',
    component: lazyRouteComponent(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  }),
];

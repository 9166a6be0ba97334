import { createRoute, Navigate, useParams } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
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
    component: lazyPage(() => import('./workspace/workspace-page.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/members',
    component: lazyPage(() => import('./members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/keys',
    component: lazyPage(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/webhooks',
    component: lazyPage(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/audit',
    component: lazyPage(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/system',
    component: lazyPage(() => import('./system/system-page.tsx'), 'SystemPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/profile',
    component: lazyPage(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  }),
];

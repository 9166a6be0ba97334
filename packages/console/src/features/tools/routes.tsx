import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const toolRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools',
    component: lazyRouteComponent(() => import('./tools-page.tsx'), 'ToolsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/new',
    component: lazyRouteComponent(() => import('./editor/new-tool-page.tsx'), 'NewToolPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/import',
    component: lazyRouteComponent(() => import('./import/import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/$tool',
    component: lazyRouteComponent(() => import('./editor/tool-page.tsx'), 'ToolPage'),
  }),
];

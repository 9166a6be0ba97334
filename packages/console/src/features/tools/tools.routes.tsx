import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const toolRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools',
    component: lazyPage(() => import('./tools-page.tsx'), 'ToolsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/new',
    component: lazyPage(() => import('./editor/new-tool-page.tsx'), 'NewToolPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/import',
    component: lazyPage(() => import('./import/import-page.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'tools/$tool',
    component: lazyPage(() => import('./editor/tool-page.tsx'), 'ToolPage'),
  }),
];

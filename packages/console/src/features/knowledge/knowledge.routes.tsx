import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

export const knowledgeRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge',
    component: lazyPage(() => import('./knowledge-page.tsx'), 'KnowledgePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge/search',
    component: lazyPage(() => import('./search/search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge/$knowledge',
    component: lazyPage(() => import('./source/source-page.tsx'), 'SourcePage'),
  }),
];

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/root-route.tsx';

export const knowledgeRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge',
    component: lazyRouteComponent(() => import('./knowledge-page.tsx'), 'KnowledgePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge/search',
    component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'knowledge/$knowledge',
    component: lazyRouteComponent(() => import('./source/source-page.tsx'), 'SourcePage'),
  }),
];

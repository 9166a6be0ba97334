import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { workspaceRoute } from '../../app/root-route.tsx';

const getParentRoute = () => workspaceRoute;

export const voiceRoutes = [
  createRoute({
    getParentRoute,
    path: 'voice',
    beforeLoad: ({ location }) => {
      redirect({ href: `${location.pathname.replace(/\/$/, '')}/calls`, replace: true, throw: true });
    },
  }),
  createRoute({
    getParentRoute,
    path: 'voice/calls',
    component: lazyPage(() => import('./calls-page.tsx'), 'CallsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'voice/numbers',
    component: lazyPage(() => import('./numbers-page.tsx'), 'NumbersPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'voice/catalog',
    component: lazyPage(() => import('./catalog-page.tsx'), 'CatalogPage'),
  }),
];

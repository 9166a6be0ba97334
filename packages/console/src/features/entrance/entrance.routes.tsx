import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { rootRoute } from '../../app/root-route.tsx';

/** What a person sees who is not signed in. */
export const entranceRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyPage(() => import('./start-page.tsx'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    component: lazyPage(() => import('./setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    component: lazyPage(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invite',
    component: lazyPage(() => import('./invite-page.tsx'), 'InvitePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset',
    component: lazyPage(() => import('./reset-page.tsx'), 'ResetPage'),
  }),
];

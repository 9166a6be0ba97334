import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';

/** What a person sees who is not signed in. */
export const entranceRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invite',
    component: lazyRouteComponent(() => import('./invite-page.tsx'), 'InvitePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset',
    component: lazyRouteComponent(() => import('./reset-page.tsx'), 'ResetPage'),
  }),
];

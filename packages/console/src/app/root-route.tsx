import { createRootRoute, createRoute } from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { NothingHere } from './nothing-here.tsx';
import { Root } from './root.tsx';
import { WorkspaceFrame } from './workspace-frame.tsx';

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

/** The parent of every page of a workspace. */
export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$workspace',
  component: WorkspaceFrame,
  notFoundComponent: NothingHere,
});

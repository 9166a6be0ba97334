import { createRootRoute, createRoute, Link, Outlet, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { RouterProvider as AriaRouter } from 'react-aria-components';
import { Page } from '../kit/page.tsx';
import { EmptyState } from '../kit/placeholders.tsx';
import { Toasts } from '../kit/toast.tsx';
import { TextLink } from './workspace.tsx';
import { WorkspaceFrame } from './workspace-frame.tsx';

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

/** The parent of every page of a workspace. */
export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$workspace',
  component: WorkspaceFrame,
  notFoundComponent: NothingHere,
});

/** For an address outside of every workspace. */
function NotFoundPage() {
  useEffect(() => {
    document.title = 'Not found · svc';
  }, []);
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        title="There is nothing at this address"
        action={
          <Link to="/" className="font-medium text-accent-ink underline underline-offset-2">
            Go to the overview
          </Link>
        }
      >
        It may have been deleted, or the link is incomplete.
      </EmptyState>
    </main>
  );
}

/** For an address of a workspace that no page has. */
function NothingHere() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is nothing at this address"
        action={
          <TextLink path="" className="font-medium underline-offset-2">
            Go to the overview
          </TextLink>
        }
      >
        The link is incomplete, or the page was removed.
      </EmptyState>
    </Page>
  );
}

/** What every page has: the regions that screen readers listen to, and the messages at the edge of the screen. */
function Root() {
  const router = useRouter();
  return (
    <AriaRouter navigate={(href) => void router.navigate({ href })}>
      <Outlet />
      <Toasts />
      <div id="announcer-polite" aria-live="polite" className="sr-only" />
      <div id="announcer-assertive" aria-live="assertive" className="sr-only" />
    </AriaRouter>
  );
}

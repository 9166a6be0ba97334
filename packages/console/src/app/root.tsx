import { Outlet, useRouter } from '@tanstack/react-router';
import { RouterProvider as AriaRouter } from 'react-aria-components';
import { Toasts } from '../kit/toast.tsx';

/** What every page has: the regions that screen readers listen to, and the messages at the edge of the screen. */
export function Root() {
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

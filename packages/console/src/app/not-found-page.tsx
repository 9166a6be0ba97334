import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { EmptyState } from '../kit/empty-state.tsx';

/** For an address outside of every workspace. */
export function NotFoundPage() {
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

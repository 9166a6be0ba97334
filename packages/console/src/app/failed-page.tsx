import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { OctagonX } from 'lucide-react';
import { Button } from '../kit/button.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { messageOf } from '../kit/inline-error.tsx';

/** In place of a page that could not be shown. The navigation beside it still works. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div role="alert">
      <h1 className="sr-only">This page could not be shown</h1>
      <EmptyState
        icon={<OctagonX aria-hidden />}
        title="This page could not be shown"
        action={
          <>
            <Button
              onPress={() => {
                reset();
                void router.invalidate();
              }}
            >
              Try again
            </Button>
            <Button look="primary" onPress={() => location.reload()}>
              Load the console again
            </Button>
          </>
        }
      >
        <p>{messageOf(error)}</p>
        <p className="mt-2 text-ink-3 text-sm">Other pages still work.</p>
      </EmptyState>
    </div>
  );
}

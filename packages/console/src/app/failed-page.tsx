import { ApiError } from '@svc/client/api-error';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { OctagonX, WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../kit/buttons.tsx';
import { EmptyState, messageOf } from '../kit/placeholders.tsx';

/** In place of a page that could not be shown. The navigation beside it still works. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (error instanceof ApiError && error.isOffline) return <Unreachable onRetry={retry} />;
  return (
    <div role="alert">
      <h1 className="sr-only">This page could not be shown</h1>
      <EmptyState
        icon={<OctagonX aria-hidden />}
        title="This page could not be shown"
        action={
          <>
            <Button onPress={retry}>Try again</Button>
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

/** Loading the console again would leave nothing but the browser's own error page. */
function Unreachable({ onRetry }: { onRetry: () => void }) {
  useEffect(() => {
    addEventListener('online', onRetry);
    return () => removeEventListener('online', onRetry);
  });
  return (
    <div role="alert">
      <h1 className="sr-only">The service cannot be reached</h1>
      <EmptyState
        icon={<WifiOff aria-hidden />}
        title="The service cannot be reached"
        action={
          <Button look="primary" onPress={onRetry}>
            Try again
          </Button>
        }
      >
        <p>Pages that you opened before still show what was known then.</p>
      </EmptyState>
    </div>
  );
}

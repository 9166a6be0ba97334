import { ApiError } from '@svc/client/api-error';
import { OctagonX } from 'lucide-react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface InlineErrorProps {
  /** What was thrown, or a sentence. */
  error: unknown;
  /** Offered if a repeat can help: not if the object is gone or the role does not suffice. */
  onRetry?: () => void;
}

/** What went wrong, where it went wrong. */
export function InlineError({ error, onRetry }: InlineErrorProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm"
    >
      <OctagonX aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 basis-48">{messageOf(error)}</span>
      {requestId && (
        <span className="flex items-center gap-1 font-mono text-xs">
          Request {requestId.slice(0, 8)}
          <CopyButton text={requestId} label="Copy the request id" />
        </span>
      )}
      {onRetry && !isFinal(error) && (
        <Button size="small" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface LoadErrorProps {
  query: { error: unknown; refetch: () => Promise<unknown> };
  /** The room around it. */
  className?: string;
}

/** Why something could not be read, in place of it. */
export function LoadError({ query, className = 'p-4 md:px-6' }: LoadErrorProps) {
  return (
    <div className={className}>
      <InlineError error={query.error} onRetry={() => void query.refetch()} />
    </div>
  );
}

function isFinal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (typeof error === 'string') return error;
  return error instanceof Error ? `The console failed: ${error.message}` : 'The console failed.';
}

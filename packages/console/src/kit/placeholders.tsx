import { ApiError } from '@svc/client/api-error';
import { OctagonX } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { fieldName } from '../format/field-names.ts';
import { sentence } from '../format/sentence.ts';
import { LiveContext } from '../live/live-context.ts';
import { Button, CopyButton } from './buttons.tsx';
import { classes } from './classes.ts';

interface EmptyStateProps {
  icon?: ReactNode;
  /** One sentence: what would be here. */
  title: string;
  /** What it is good for, with an example. */
  children?: ReactNode;
  /** The one button that changes it. */
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-16 text-center [&>svg]:size-6 [&>svg]:text-ink-3">
      {icon}
      <p className="font-medium text-lg">{title}</p>
      {children && <div className="max-w-prose text-ink-2">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

interface InlineErrorProps {
  /** What was thrown, or a sentence. */
  error: unknown;
  /** Offered if a repeat can help: not if the object is gone or the role does not suffice. */
  onRetry?: () => void;
}

/** What went wrong, where it went wrong. That the service was not reached is not news any more once it is reached again. */
export function InlineError({ error, onRetry }: InlineErrorProps) {
  const isReached = useIsReachedSince(error);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  // Without a page to show, the way to read it again stays.
  if (isReached && !onRetry) return null;
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

/** Whether the live connection was lost and found again since this error, if it is about that. */
function useIsReachedSince(error: unknown): boolean {
  const live = useContext(LiveContext);
  const [overcome, setOvercome] = useState<unknown>();
  useEffect(() => {
    if (!live || !(error instanceof ApiError && error.isOffline)) return;
    const isReached = () => ['connected', 'polling'].includes(live.state().name);
    let wasReached = isReached();
    return live.onState(() => {
      if (isReached() && !wasReached) setOvercome(error);
      wasReached = isReached();
    });
  }, [live, error]);
  return error !== undefined && overcome === error;
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
  if (error instanceof ApiError) {
    // What the service says of a request without a session is meant for programs.
    if (error.message.includes('Authorization header')) return 'You are signed out.';
    return faultsOf(error) ?? error.message;
  }
  if (typeof error === 'string') return error;
  return error instanceof Error ? `The console failed: ${error.message}` : 'The console failed.';
}

/** What is wrong with the fields of a request, by the names that people have for them; not where the service has a sentence of its own. */
function faultsOf({ code, message: said, details }: ApiError): string | undefined {
  const first = details[0]?.path;
  if (code !== 'VALIDATION_FAILED' || !first || !said.startsWith(`${first} `)) return undefined;
  const faults = details.map(
    ({ path, message }) => path && message && sentence(`${fieldName(path)} ${message}`),
  );
  return faults.every(Boolean) ? faults.join(' ') : undefined;
}

/** One bar in place of a text that is being loaded. */
export function Bar({ className }: { className?: string }) {
  return <span aria-hidden className={classes('block h-4 animate-pulse rounded-sm bg-sunken', className)} />;
}

/** Shows the outline of what is being loaded, unless it arrives almost immediately. */
export function Loading({ children, label = 'Loading' }: { children: ReactNode; label?: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" className={isSlow ? 'contents' : 'invisible'}>
      <span className="sr-only" role="status">
        {label}
      </span>
      {children}
    </div>
  );
}

/** One bar, unless what is being loaded arrives almost immediately. */
export function BarLoading({ className, label = 'Loading' }: { className: string; label?: string }) {
  return (
    <Loading label={label}>
      <Bar className={className} />
    </Loading>
  );
}

/** The outline of a table. */
export function RowsLoading({ rows = 8 }: { rows?: number }) {
  return (
    <Loading>
      <div className="flex flex-col">
        {Array.from({ length: rows }, (_, row) => (
          <div
            key={row}
            className="flex h-9 items-center gap-6 border-line border-b px-4 pointer-coarse:h-11"
          >
            <Bar className="w-1/4" />
            <Bar className="w-1/6" />
            <Bar className="w-1/3 max-md:hidden" />
            <Bar className="ml-auto w-16" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

/** The outline of a form. */
export function FormLoading({ fields = 5 }: { fields?: number }) {
  return (
    <Loading>
      <div className="flex max-w-[720px] flex-col gap-5 px-4 py-5 md:px-6">
        {Array.from({ length: fields }, (_, field) => (
          <div key={field} className="flex flex-col gap-1.5">
            <Bar className="w-24" />
            <Bar className="h-8 pointer-coarse:h-11" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

/** The outline of a few numbers with a chart below. */
export function ReportLoading() {
  return (
    <Loading>
      <div className="flex flex-col gap-6 px-4 py-5 md:px-6">
        <div className="flex flex-wrap gap-8">
          {Array.from({ length: 4 }, (_, number) => (
            <div key={number} className="flex w-32 flex-col gap-2">
              <Bar className="w-20" />
              <Bar className="h-7" />
            </div>
          ))}
        </div>
        <Bar className="h-56" />
      </div>
    </Loading>
  );
}

interface ShowMoreProps {
  /** An infinite query. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label?: string;
}

/** The end of a list that has another page. */
export function ShowMore({ list, label = 'Show more' }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className="flex justify-center p-4">
      <Button isBusy={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}

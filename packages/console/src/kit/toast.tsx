import { CircleCheck, OctagonX, X } from 'lucide-react';
import {
  UNSTABLE_Toast as AriaToast,
  Button,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';

interface ToastText {
  text: string;
  isError?: boolean;
  /** Such as "Undo". */
  action?: { label: string; run: () => void };
}

const queue = new ToastQueue<ToastText>({ maxVisibleToasts: 3 });

/** Says briefly that something was done. Errors belong where they happened; a toast is never their only sign. */
export function notify(toast: ToastText): void {
  queue.add(toast, { timeout: toast.action ? 8000 : 5000 });
}

/** Beside what is worked on: above the composer and the bar with the buttons of a form, below the tabs. Presses go through to what is behind. */
export function Toasts() {
  return (
    <ToastRegion
      queue={queue}
      className="pointer-events-none fixed right-4 bottom-36 z-50 flex w-fit max-w-[calc(100vw-2rem)] flex-col gap-2 [&_button]:pointer-events-auto"
    >
      {({ toast }) => (
        <AriaToast
          toast={toast}
          className="flex animate-appear items-center gap-3 rounded-md bg-raised py-2 pr-2 pl-3 text-base shadow-dialog"
        >
          {toast.content.isError ? (
            <OctagonX aria-hidden className="size-4 shrink-0 text-danger" />
          ) : (
            <CircleCheck aria-hidden className="size-4 shrink-0 text-success" />
          )}
          <ToastContent className="min-w-0 flex-1">
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.action && (
            <Button
              onPress={() => {
                toast.content.action?.run();
                queue.close(toast.key);
              }}
              className="rounded-sm px-2 py-1 font-medium text-accent-ink data-hovered:bg-hover"
            >
              {toast.content.action.label}
            </Button>
          )}
          <Button slot="close" aria-label="Close" className="rounded-sm p-1 text-ink-3 data-hovered:bg-hover">
            <X aria-hidden className="size-4" />
          </Button>
        </AriaToast>
      )}
    </ToastRegion>
  );
}

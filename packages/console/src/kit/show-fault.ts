import { useEffect } from 'react';

/** After a form was refused: brings the first field with an error into view and focuses it, or else shows the sentence that says why. */
export function useShowFault(failure: unknown): void {
  useEffect(() => {
    if (failure !== undefined && failure !== null) showFault();
  }, [failure]);
}

function showFault(): void {
  const fault = firstUsable('[data-fault]');
  const folded = fault?.closest('details');
  if (folded) folded.open = true;
  const shown = fault?.parentElement ?? firstUsable('[role=alert]');
  shown?.scrollIntoView({ block: fault ? 'center' : 'nearest' });
  if (fault) focusIn(shown);
}

/** What is behind a dialog cannot be used. */
function firstUsable(selector: string): HTMLElement | undefined {
  const found = [...document.querySelectorAll<HTMLElement>(selector)];
  return found.find((element) => !element.closest('[aria-hidden=true], [inert]'));
}

/** Focuses the first control of a field. */
export function focusIn(field: Element | null | undefined): void {
  const controls =
    'input:not([type=hidden], [readonly]), textarea:not([readonly]), [contenteditable=true], button';
  field?.querySelector<HTMLElement>(controls)?.focus({ preventScroll: true });
}

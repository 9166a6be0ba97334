import type { ReactElement } from 'react';
import { Tooltip, TooltipTrigger } from 'react-aria-components';

/** Shows a short text while its child, a button, has the pointer or the focus. */
export function Tip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      {children}
      <Tooltip
        offset={6}
        className="max-w-72 rounded-sm bg-ink px-2 py-1 text-canvas text-xs shadow-menu data-entering:animate-appear"
      >
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}

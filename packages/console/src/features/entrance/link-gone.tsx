import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Command } from './command.tsx';
import { EntranceFrame } from './entrance-frame.tsx';

interface LinkGoneProps {
  /** How to get another link. */
  children: ReactNode;
  /** What prints another link, on the server. */
  command?: string;
}

/** In place of a form whose link does not work. */
export function LinkGone({ children, command }: LinkGoneProps) {
  return (
    <EntranceFrame title="This link does not work" lead="It was used already, or it has expired.">
      <div className="flex flex-col gap-2 text-ink-2">
        <p>{children}</p>
        {command && <Command text={command} />}
      </div>
      <p>
        <Link to="/sign-in" className="font-medium text-accent-ink underline">
          Sign in
        </Link>
      </p>
    </EntranceFrame>
  );
}

import type { ConsoleUser } from '@svc/contract/console-session';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Button } from '../kit/buttons.tsx';
import { EmptyState } from '../kit/placeholders.tsx';
import { signOut } from './sign-out.ts';

interface NoWorkspaceProps {
  title: string;
  user: ConsoleUser;
  /** Another workspace, to go to. */
  other?: { id: string; name: string } | undefined;
  children: ReactNode;
}

/** For a person who is signed in but not a member here. */
export function NoWorkspace({ title, user, other, children }: NoWorkspaceProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">{title}</h1>
      <EmptyState
        title={title}
        action={
          <>
            {other && (
              <Link to={`/w/${other.id}`} className="font-medium text-accent-ink underline">
                {`Go to ${other.name}`}
              </Link>
            )}
            <Button onPress={() => void signOut()}>Sign out</Button>
          </>
        }
      >
        <p>{children}</p>
        <p className="mt-2 text-ink-3 text-sm">{`You are signed in as ${user.email}.`}</p>
      </EmptyState>
    </main>
  );
}

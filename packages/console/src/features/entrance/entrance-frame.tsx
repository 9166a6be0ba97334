import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect } from 'react';
import { NewPasswordField } from '../../app/new-password-field.tsx';
import { svcCommand } from '../../app/svc-command.ts';
import { CopyButton } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';

interface EntranceFrameProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages before the sign-in: one column, one task. */
export function EntranceFrame({ title, lead, children }: EntranceFrameProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-4 py-12">
      <header className="flex flex-col gap-1">
        <p className="font-semibold text-accent-ink text-lg">svc</p>
        <h1 className="font-semibold text-2xl">{title}</h1>
        {lead && <p className="text-ink-2">{lead}</p>}
      </header>
      {children}
    </main>
  );
}

interface LinkGoneProps {
  /** How to get another link. */
  children: ReactNode;
  /** What prints another link: what `Command` gets. */
  command?: string;
}

/** In place of a form whose link does not work. */
export function LinkGone({ children, command }: LinkGoneProps) {
  return (
    <EntranceFrame title="This link does not work" lead="It was used already, or it has expired.">
      <div className="flex flex-col gap-2 text-ink-2">
        <p>{children}</p>
        {command && <Command parameters={command} />}
      </div>
      <p>
        <Link to="/sign-in" className="font-medium text-accent-ink underline">
          Sign in
        </Link>
      </p>
    </EntranceFrame>
  );
}

/** Runs svc with these parameters in the terminal of the server: to copy. */
export function Command({ parameters }: { parameters: string }) {
  const text = `${svcCommand} ${parameters}`;
  return (
    <span className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-sm">{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </span>
  );
}

interface AccountFieldsProps {
  field: (
    name: 'name' | 'email' | 'password',
  ) => Pick<ComponentProps<typeof NewPasswordField>, 'value' | 'onChange' | 'error'>;
  /** The invitation names it. */
  isEmailFixed?: boolean;
}

/** Name, email and password of a new account. */
export function AccountFields({ field, isEmailFixed = false }: AccountFieldsProps) {
  return (
    <>
      <TextField label="Your name" autoComplete="name" autoFocus isRequired {...field('name')} />
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        isRequired
        isReadOnly={isEmailFixed}
        {...field('email')}
      />
      <NewPasswordField label="Password" {...field('password')} />
    </>
  );
}

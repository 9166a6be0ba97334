import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createFirstAccount, refreshSession } from '../../api/session.ts';
import { useForm } from '../../app/use-submit.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { AccountFields, EntranceFrame, LinkGone } from './entrance-frame.tsx';

/** The first page of an installation: creates the account of its owner. */
export function SetupPage() {
  const [{ token = '' }] = useSearchState();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { field, onSubmit, isBusy, at, error } = useForm(
    { name: '', email: '', password: '', workspace_name: 'My workspace' },
    async (values) => {
      await createFirstAccount({ token, ...values, email: values.email.trim() });
      const session = await refreshSession(queries);
      await navigate({ href: `/w/${session.workspaces[0]?.id}/bots/new`, replace: true });
    },
    { token },
  );

  if (token === '' || at('token') !== undefined) {
    return (
      <LinkGone command="setup-link">
        While nobody has an account, this prints another link on the server:
      </LinkGone>
    );
  }
  return (
    <EntranceFrame title="Create your account">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <AccountFields field={field} />
        <TextField label="Workspace" isRequired {...field('workspace_name')} />
        {error !== undefined && <InlineError error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create
        </Button>
      </form>
    </EntranceFrame>
  );
}

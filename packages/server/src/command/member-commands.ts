import { emailPattern } from '@svc/contract/email-pattern';
import { type Role, roles } from '@svc/contract/roles';
import { type Command, InvalidArgumentError } from 'commander';
import { AppError } from '../lib/app-error.ts';
import { parseId } from './arguments.ts';
import { print, printable, table } from './command-output.ts';
import { withServices } from './lazily.ts';

interface InviteOptions {
  role: Role;
  email?: string;
  workspace?: string;
  json: boolean;
}

/** For the people who use the console. */
export function memberCommands(program: Command): void {
  program
    .command('setup-link')
    .description('make a link with which the first person creates their account; it works once, for 24 hours')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const url = await withServices(async ({ people, defaultWorkspaceId }) => {
        await defaultWorkspaceId();
        return people.accounts.makeSetUpLink();
      });
      if (!url) {
        throw new Error(
          'Somebody has an account already. Use "members invite" for further people, or "members reset-password" for a lost password.',
        );
      }
      print(json, { url }, `Create your account with this link:\n\n  ${url}`);
    });

  const members = program.command('members').description('manage the people who use the console');

  members
    .command('list')
    .description('list the members of every workspace')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await withServices(({ people }) => people.team.listAll());
      const rows = found.map((one) => [one.email, one.name, one.role, one.workspaceName, one.workspaceId]);
      const documents = found.map(({ id, name, email, role, workspaceId, createdAt }) => ({
        id,
        name,
        email,
        role,
        workspace_id: workspaceId,
        created_at: createdAt.toISOString(),
      }));
      print(json, documents, printable(table(['EMAIL', 'NAME', 'ROLE', 'WORKSPACE', 'WORKSPACE ID'], rows)));
    });

  members
    .command('invite')
    .description('make a link with which a person joins a workspace; it works once, for 7 days')
    .option('--role <role>', roles.join(', '), parseRole, 'operator')
    .option(
      '--email <email>',
      'the only person who can use it (default: anybody, who confirms an address by mail)',
      parseEmail,
    )
    .option('--workspace <id>', 'which workspace (default: the default workspace)', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async ({ role, email, workspace, json }: InviteOptions) => {
      const invitation = await withServices(async ({ people, workspaces, defaultWorkspaceId }) => {
        const workspaceId = workspace ? (await workspaces.get(workspace)).id : await defaultWorkspaceId();
        const { recordNothing } = await import('../idempotency/idempotency.service.ts');
        return people.invitations.create(workspaceId, null, { role, ...(email && { email }) }, recordNothing);
      });
      print(json, invitation, `Send this link to the new ${role}:\n\n  ${invitation.url}`);
    });

  members
    .command('remove')
    .description('remove a person from a workspace, or delete their account')
    .argument('<email>', 'the person')
    .option('--workspace <id>', 'only from this workspace (default: delete the account)', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (email: string, { workspace, json }: { workspace?: string; json: boolean }) => {
      await withServices(({ people: { team } }) =>
        forPerson(email, () =>
          workspace ? team.removeByEmail(workspace, email) : team.deleteByEmail(email),
        ),
      );
      const what = workspace ? `Removed ${email} from the workspace.` : `Deleted the account of ${email}.`;
      print(json, { email, workspace_id: workspace ?? null }, printable(what));
    });

  members
    .command('reset-password')
    .description('make a link with which a person sets a new password; it works once, for an hour')
    .argument('<email>', 'the person')
    .option('--json', 'print one JSON document', false)
    .action(async (email: string, { json }: { json: boolean }) => {
      const url = await withServices(({ people }) =>
        forPerson(email, () => people.accounts.makeResetLink(email)),
      );
      print(json, { url }, printable(`Send this link to ${email}. It ends their sessions:\n\n  ${url}`));
    });
}

async function forPerson<Result>(email: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    throw new Error(`Nobody was found with the email ${email}. "members list" shows everybody.`, {
      cause: error,
    });
  }
}

function parseRole(text: string): Role {
  const role = roles.find((one) => one === text);
  if (!role) throw new InvalidArgumentError(`There are: ${roles.join(', ')}.`);
  return role;
}

function parseEmail(text: string): string {
  if (!new RegExp(emailPattern).test(text)) throw new InvalidArgumentError('This is not an email address.');
  return text;
}

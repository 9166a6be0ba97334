import { type Command, InvalidArgumentError } from 'commander';
import { parseId } from './arguments.ts';
import { print, table } from './command-output.ts';
import { withServices } from './lazily.ts';
import type { CommandServices } from './with-services.ts';

export function numberCommands(program: Command): void {
  const numbers = program
    .command('numbers')
    .description('assign the phone numbers of the installation to workspaces');

  numbers
    .command('assign')
    .description('let a workspace use a number; it is taken from another one that does not use it')
    .argument('<number>', 'the number, as the telephone network names it', parsePhone)
    .requiredOption('--workspace <id>', 'the workspace', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (number: string, { workspace, json }: { workspace: string; json: boolean }) => {
      await inAssignments((assignments) => assignments.assign(number, workspace));
      const document = { phone_number: number, workspace_id: workspace };
      print(json, document, `The workspace ${workspace} can use ${number} now.`);
    });

  numbers
    .command('unassign')
    .description('take a number from its workspace')
    .argument('<number>', 'the number', parsePhone)
    .option('--remove', 'even if a bot answers it: callers then hear that nobody has the number', false)
    .option('--json', 'print one JSON document', false)
    .action(async (number: string, { remove, json }: { remove: boolean; json: boolean }) => {
      const workspaceId = await inAssignments((assignments) =>
        assignments.unassign(number, { removesUsed: remove }),
      );
      const document = { phone_number: number, workspace_id: workspaceId };
      print(json, document, `The workspace ${workspaceId} cannot use ${number} any more.`);
    });

  numbers
    .command('list')
    .description('list every number that a workspace may use')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await inAssignments((assignments) => assignments.listAll());
      const documents = found.map(({ phoneNumber, workspaceId, isUsed }) => ({
        phone_number: phoneNumber,
        workspace_id: workspaceId,
        in_use: isUsed,
      }));
      const rows = documents.map((one) => [one.phone_number, one.workspace_id, one.in_use ? 'yes' : 'no']);
      print(json, documents, table(['NUMBER', 'WORKSPACE', 'IN USE'], rows));
    });
}

type Assignments = ReturnType<
  typeof import('../voice/numbers/number-assignments.ts')['createNumberAssignments']
>;

function inAssignments<Result>(work: (assignments: Assignments) => Promise<Result>): Promise<Result> {
  return withServices(async (services: CommandServices) => {
    const { createNumberAssignments } = await import('../voice/numbers/number-assignments.ts');
    return work(createNumberAssignments(services));
  });
}

function parsePhone(text: string): string {
  if (!/^\+?\d{2,20}$/.test(text))
    throw new InvalidArgumentError('Give 2 to 20 digits, such as +12025550100.');
  return text;
}

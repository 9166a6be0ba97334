import { type Command, InvalidArgumentError } from 'commander';
import { parseDestinations } from '../config/voice-destinations.ts';
import { formatUsd, parseUsd } from '../lib/money.ts';
import type { Workspace } from '../workspaces/workspaces.service.ts';
import { parseId } from './arguments.ts';
import { print, printable, table } from './command-output.ts';
import { withServices } from './lazily.ts';
import { addLimitOptions, describeLimits, limitChanges, limitsDocument } from './limit-options.ts';
import { describeWorkspace, showWorkspace } from './show-workspace.ts';

interface UpdateOptions {
  maxBots?: number | 'unlimited';
  addCredit?: string;
  destinations?: string[] | null;
  json: boolean;
}

export function workspaceCommands(program: Command): void {
  const workspaces = program.command('workspaces').description('make, list and change workspaces');

  workspaces
    .command('create')
    .description('make a workspace, with an account key that may do everything in it')
    .requiredOption('--name <name>', 'what people call it')
    .option('--json', 'print one JSON document', false)
    .action(async ({ name, json }: { name: string; json: boolean }) => {
      const { workspace, key } = await withServices(({ database, workspaces: service, keys }) =>
        database.acrossWorkspaces.transaction(async (tx) => {
          const created = await service.create(tx, name);
          const { key: text } = await keys.create(tx, {
            workspaceId: created.id,
            name: 'First key',
            abilities: 'all',
          });
          return { workspace: created, key: text };
        }),
      );
      print(
        json,
        { id: workspace.id, name: workspace.name, key },
        `Made the workspace ${workspace.name} (${workspace.id}).\nIts account key, shown this one time:\n\n  ${key}`,
      );
    });

  workspaces
    .command('list')
    .description('list every workspace')
    .option('--json', 'print one JSON document', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await withServices(({ workspaces: service }) => service.list());
      const rows = found.map((one) => [one.id, one.name, limit(one.maxBots), credit(one.creditUsd)]);
      print(json, found.map(toDocument), table(['ID', 'NAME', 'MAX BOTS', 'CREDIT USD'], rows));
    });

  workspaces
    .command('show')
    .description('show a workspace: its plan, what it spent, what it has left, and what it used lately')
    .argument('<id>', 'the workspace', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const shown = await showWorkspace(id);
      print(json, shown, printable(describeWorkspace(shown)));
    });

  const update = workspaces
    .command('update')
    .description("change a workspace's plan and limits")
    .argument('<id>', 'the workspace', parseId)
    .option(
      '--max-bots <number>',
      'how many bots may be active at once; "unlimited" removes the limit',
      parseLimit,
    )
    .option('--add-credit <usd>', 'credit to add, in US dollars', parseCredit)
    .option(
      '--destinations <list>',
      'where calls may go besides their own country, such as AT,CH,premium; "none", or "default"',
      parseList,
    );
  addLimitOptions(update)
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { maxBots, addCredit, destinations, json }: UpdateOptions) => {
      const limits = limitChanges(update);
      const plan = [maxBots, addCredit, destinations];
      if (plan.every((one) => one === undefined) && Object.keys(limits).length === 0) {
        throw new Error('Nothing to change: give at least one option, such as --max-bots.');
      }
      const workspace = await withServices(({ workspaces: service }) =>
        service.changePlan(
          id,
          {
            ...(maxBots !== undefined && { maxBots: maxBots === 'unlimited' ? null : maxBots }),
            ...(addCredit !== undefined && { addCreditUsd: addCredit }),
            ...(destinations !== undefined && { destinations }),
          },
          limits,
        ),
      );
      print(
        json,
        toDocument(workspace),
        `${workspace.name}: bots ${limit(workspace.maxBots)}, credit ${credit(workspace.creditUsd)}${describeLimits(workspace.limits)}${describeDestinations(workspace)}.`,
      );
    });
}

function toDocument(workspace: Workspace) {
  return {
    id: workspace.id,
    name: workspace.name,
    max_bots: workspace.maxBots,
    credit_usd: workspace.creditUsd === null ? null : formatUsd(parseUsd(workspace.creditUsd)),
    destinations: workspace.destinations ?? 'default',
    limits: limitsDocument(workspace.limits),
    created_at: workspace.createdAt.toISOString(),
  };
}

function limit(maxBots: number | null): string {
  return maxBots === null ? 'unlimited' : String(maxBots);
}

function credit(creditUsd: string | null): string {
  return creditUsd === null ? 'unlimited' : formatUsd(parseUsd(creditUsd));
}

function parseLimit(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Give a whole number, or "unlimited".');
  return Number(text);
}

function describeDestinations({ destinations }: Workspace): string {
  if (destinations === null) return '';
  return `, calls to other destinations: ${destinations.join(', ') || 'none'}`;
}

function parseList(text: string): string[] | null {
  if (text === 'default') return null;
  const destinations = parseDestinations(text === 'none' ? '' : text);
  if (!destinations)
    throw new InvalidArgumentError(
      'Give countries such as AT or CH, premium, satellite, all, or single numbers in digits, separated by commas; or "none" or "default".',
    );
  return destinations;
}

function parseCredit(text: string): string {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text))
    throw new InvalidArgumentError('Give an amount such as 25 or 4.50.');
  return text;
}

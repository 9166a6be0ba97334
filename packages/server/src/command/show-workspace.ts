import type { Account } from '../billing/billing.service.ts';
import { formatUsd, parseUsd } from '../lib/money.ts';
import type { Workspace } from '../workspaces/workspaces.service.ts';
import { table } from './command-output.ts';
import { withServices } from './lazily.ts';

/** A workspace with its money, and what it used in the last 30 days. */
export function showWorkspace(id: string) {
  return withServices(async ({ database, workspaces }) => {
    const [{ createBillingService }, { botStore }, { systemClock }] = await Promise.all([
      import('../billing/billing.service.ts'),
      import('../bots/bots.store.ts'),
      import('../lib/clock.ts'),
    ]);
    const workspace = await workspaces.get(id);
    const billing = createBillingService({ database, clock: systemClock });
    const { rows } = await billing.report(id, workspace.creditUsd, { by: 'model' });
    const bots = await botStore.countActive(database.within(id), id);
    return toDocument(workspace, await billing.account(id), bots, rows);
  });
}

type UsageRows = Awaited<
  ReturnType<import('../billing/billing.service.ts').BillingService['report']>
>['rows'];

function toDocument(workspace: Workspace, account: Account, bots: number, rows: UsageRows) {
  const credit = workspace.creditUsd === null ? null : parseUsd(workspace.creditUsd);
  return {
    id: workspace.id,
    name: workspace.name,
    max_bots: workspace.maxBots,
    /** Only active bots: the plan counts these. */
    bots,
    credit_usd: credit === null ? null : formatUsd(credit),
    spent_usd: formatUsd(account.spent),
    reserved_usd: formatUsd(account.reserved),
    /** The credit minus what was spent; null when it is unlimited. */
    balance_usd: credit === null ? null : formatUsd(credit - account.spent),
    created_at: workspace.createdAt.toISOString(),
    usage: rows.map(({ model = '', turns, input_tokens, output_tokens, call_seconds, cost_usd }) => ({
      model,
      turns,
      input_tokens,
      output_tokens,
      call_seconds,
      cost_usd,
    })),
  };
}

export function describeWorkspace(shown: ReturnType<typeof toDocument>): string {
  const facts = [
    ['ID', shown.id],
    ['PLAN', `${shown.max_bots ?? 'unlimited'} bots, credit ${shown.credit_usd ?? 'unlimited'}`],
    ['BOTS', `${shown.bots} active`],
    ['SPENT USD', shown.spent_usd],
    ['RESERVED USD', shown.reserved_usd],
    ['BALANCE USD', shown.balance_usd ?? 'unlimited'],
  ];
  const usage = shown.usage.map((row) => [
    row.model,
    String(row.turns),
    String(row.input_tokens),
    String(row.output_tokens),
    String(Math.round(row.call_seconds / 60)),
    row.cost_usd ?? 'unknown',
  ]);
  const header = ['MODEL', 'TURNS', 'INPUT TOKENS', 'OUTPUT TOKENS', 'CALL MINUTES', 'COST USD'];
  const used = usage.length > 0 ? table(header, usage) : 'Nothing was used.';
  return `${table(['NAME', shown.name], facts)}\n\nThe last 30 days:\n${used}`;
}

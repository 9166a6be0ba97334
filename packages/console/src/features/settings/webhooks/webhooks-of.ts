import type { ConsoleBot } from '@svc/contract/console-bots';

export interface BotWebhooks {
  id: string;
  name: string;
  webhooks: { what: string; url: string }[];
}

/** The bots that send something to an address. */
export function webhooksOf(
  bots: readonly Pick<ConsoleBot, 'id' | 'name' | 'settings' | 'output_config'>[],
): BotWebhooks[] {
  return bots.flatMap(({ id, name, settings, output_config: output }) => {
    const { approval_notice: notice } = JSON.parse(settings) as {
      approval_notice?: { webhook_url?: string } | null;
    };
    const webhooks = [
      ...(output?.webhook_url ? [{ what: 'Ends of runs', url: output.webhook_url }] : []),
      ...(notice?.webhook_url ? [{ what: 'Approvals', url: notice.webhook_url }] : []),
    ];
    return webhooks.length > 0 ? [{ id, name, webhooks }] : [];
  });
}

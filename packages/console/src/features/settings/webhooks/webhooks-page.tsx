import type { ConsoleBot } from '@svc/contract/console-bots';
import { useMutation } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { botsQuery } from '../../../api/bots.ts';
import { readWebhookSecret } from '../../../api/system.ts';
import { PageLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button, CodeBlock } from '../../../kit/buttons.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { FailedJobs, Section } from '../system/failed-jobs.tsx';

const queues = ['run-webhooks', 'approval-notices'];

export function WebhooksPage() {
  return (
    <SettingsPage tab="webhooks">
      <Webhooks />
    </SettingsPage>
  );
}

/** Where bots send what happens, how receivers check that it came from here, and what could not be delivered. */
function Webhooks() {
  const bots = useRead(botsQuery);
  if (bots.isPending) return <RowsLoading />;
  if (bots.isError) return <LoadError query={bots} className="p-4" />;
  const found = webhooksOf(bots.data);
  return (
    <>
      {found.length === 0 ? (
        <EmptyState icon={<Webhook aria-hidden />} title="No bot sends webhooks.">
          <p>
            An Autonomous Agent can report the end of each run, and any bot its requests for approval, to an
            address of yours: <code className="font-mono">https://example.com/svc-hook</code>. Set it in the
            bot.
          </p>
        </EmptyState>
      ) : (
        <Section title="Receivers">
          <ul className="flex flex-col">
            {found.map((bot) => (
              <Receiver key={bot.id} bot={bot} />
            ))}
          </ul>
        </Section>
      )}
      {found.length > 0 && (
        <Section title="Check the signature">
          <div className="flex max-w-3xl flex-col gap-3 px-4 pb-2 text-ink-2 text-sm md:px-6">
            <p>
              Every delivery has the header <code className="font-mono">svc-signature</code> with a time and
              an HMAC-SHA256 of the time and the body under the bot’s secret. Refuse what does not match, and
              what is old.
            </p>
            <CodeBlock
              label="How to check"
              text={'svc-signature: t=<unix time>,v1=<hex>\nv1 = hmac_sha256(secret, `${t}.${body}`)'}
            />
          </div>
        </Section>
      )}
      <FailedJobs title="Not delivered" queues={queues} />
    </>
  );
}

function Receiver({ bot }: { bot: BotWebhooks }) {
  return (
    <li className="flex flex-col gap-1 border-line border-b px-4 py-3 text-sm md:px-6">
      <PageLink path={`/bots/${bot.id}/prompt`} className="font-medium text-base hover:underline">
        {bot.name}
      </PageLink>
      {bot.webhooks.map(({ what, url, tab }) => (
        <p key={what} className="flex flex-wrap gap-x-3">
          <PageLink path={`/bots/${bot.id}/${tab}`} className="w-36 shrink-0 text-ink-2 underline">
            {what}
          </PageLink>
          <code className="min-w-0 break-all font-mono">{url}</code>
        </p>
      ))}
      <SigningSecret botId={bot.id} botName={bot.name} />
    </li>
  );
}

/** Read only when somebody wants to see it. */
function SigningSecret({ botId, botName }: { botId: string; botName: string }) {
  const { api } = useWorkspace();
  const reading = useMutation({ mutationFn: () => readWebhookSecret(api, botId) });
  if (reading.data)
    return (
      <div className="max-w-2xl">
        <CodeBlock label={`Signing secret of ${botName}`} text={reading.data.webhook_secret} />
      </div>
    );
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        size="small"
        isBusy={reading.isPending}
        aria-label={`Show the signing secret of ${botName}`}
        onPress={() => reading.mutate()}
      >
        Show the signing secret
      </Button>
      {reading.error && <InlineError error={reading.error} />}
    </div>
  );
}

interface BotWebhooks {
  id: string;
  name: string;
  /** `tab` of the bot's editor is where the address is set. */
  webhooks: { what: string; url: string; tab: string }[];
}

/** The bots that send something to an address. */
function webhooksOf(
  bots: readonly Pick<ConsoleBot, 'id' | 'name' | 'settings' | 'output_config'>[],
): BotWebhooks[] {
  return bots.flatMap(({ id, name, settings, output_config: output }) => {
    const { approval_notice: notice } = JSON.parse(settings) as {
      approval_notice?: { webhook_url?: string } | null;
    };
    const webhooks = [
      ...(output?.webhook_url ? [{ what: 'Ends of runs', url: output.webhook_url, tab: 'schedule' }] : []),
      ...(notice?.webhook_url ? [{ what: 'Approvals', url: notice.webhook_url, tab: 'quality' }] : []),
    ];
    return webhooks.length > 0 ? [{ id, name, webhooks }] : [];
  });
}

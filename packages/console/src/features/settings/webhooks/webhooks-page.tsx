import { useQuery } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { botsQuery } from '../../../api/bots.ts';
import { PageLink } from '../../../app/page-links.tsx';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { CodeBlock } from '../../../kit/code-block.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { RowsLoading } from '../../../kit/skeleton.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { FailedJobs } from '../system/failed-jobs.tsx';
import { Section } from '../system/section.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { type BotWebhooks, webhooksOf } from './webhooks-of.ts';

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
  const { api } = useWorkspace();
  const bots = useQuery(botsQuery(api));
  if (bots.isPending) return <RowsLoading />;
  if (bots.isError)
    return (
      <div className="p-4">
        <InlineError error={bots.error} onRetry={() => void bots.refetch()} />
      </div>
    );
  const found = webhooksOf(bots.data);
  return (
    <>
      {found.length === 0 ? (
        <EmptyState icon={<Webhook aria-hidden />} title="No bot sends webhooks.">
          <p>
            An autonomous agent can report the end of each run, and any bot its requests for approval, to an
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
      {bot.webhooks.map(({ what, url }) => (
        <p key={what} className="flex flex-wrap gap-x-3">
          <span className="w-36 shrink-0 text-ink-2">{what}</span>
          <code className="min-w-0 break-all font-mono">{url}</code>
        </p>
      ))}
      <SigningSecret botId={bot.id} botName={bot.name} />
    </li>
  );
}

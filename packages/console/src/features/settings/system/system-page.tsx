import type { SystemReport } from '@svc/contract/console-system';
import type { VoiceReport } from '@svc/contract/console-voice';
import type { ReactNode } from 'react';
import { systemQuery } from '../../../api/system.ts';
import { voiceQuery } from '../../../api/voice.ts';
import { TextLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { CopyButton } from '../../../kit/buttons.tsx';
import { StateBadge, TimeAgo } from '../../../kit/labels.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { providerName } from '../../voice/catalog-groups.ts';
import { SettingsPage } from '../settings-page.tsx';
import { FailedJobs, Section } from './failed-jobs.tsx';
import { Load } from './load.tsx';

export function SystemPage() {
  return (
    <SettingsPage tab="system">
      <SystemContent />
    </SettingsPage>
  );
}

function SystemContent() {
  const { can } = useWorkspace();
  const system = useRead(systemQuery);
  if (system.isPending) return <RowsLoading />;
  if (system.isError) return <LoadError query={system} className="p-4" />;
  const { notes, shows_figures: showsFigures } = system.data;
  return (
    <>
      {notes.length > 0 && (
        <ul className="flex flex-col gap-1 bg-warning-tint px-4 py-3 text-warning-ink md:px-6">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {showsFigures && can('owner') && <Load />}
      <Providers system={system.data} />
      <Section title="Parts">
        <Parts system={system.data} />
      </Section>
      <Section title="Voice">
        <VoiceParts />
      </Section>
      <Section title="Nodes">
        <Nodes nodes={system.data.nodes} />
      </Section>
      {can('owner') && <FailedJobs />}
    </>
  );
}

function Parts({ system: { release, database, redis, mail } }: { system: SystemReport }) {
  return (
    <dl className="flex flex-col">
      <Part title="Release">{release}</Part>
      <Part title="Database">
        <StateBadge state="success" text={`PostgreSQL ${database.version}`} />
        <span className="text-ink-3">
          {database.is_embedded ? 'embedded' : 'external'}, answers in {database.milliseconds} ms
        </span>
      </Part>
      <Part title="Redis">
        {redis.is_configured ? (
          <StateBadge
            state={redis.is_connected ? 'success' : 'danger'}
            text={redis.is_connected ? 'Connected' : 'Not connected: nodes talk through the database'}
          />
        ) : (
          <span className="text-ink-3">Not used. Several machines need it: set REDIS_URL.</span>
        )}
      </Part>
      <Part title="Mail">
        {mail.is_ready ? (
          <StateBadge state="success" text="Ready for notices" />
        ) : (
          <span className="text-ink-3">
            No mail server: set {mail.variable} for notices of approvals and for open invitations.
          </span>
        )}
      </Part>
    </dl>
  );
}

function Nodes({ nodes }: Pick<SystemReport, 'nodes'>) {
  const releases = new Set(nodes.filter((node) => node.is_alive).map(({ release }) => release));
  return (
    <>
      {releases.size > 1 && (
        <p className="px-4 pb-2 text-sm text-warning-ink md:px-6">The nodes run different releases.</p>
      )}
      <ul className="flex flex-col">
        {nodes.map((node) => (
          <li
            key={node.id}
            className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6"
          >
            <StateBadge
              state={node.is_alive ? 'success' : 'danger'}
              text={node.is_alive ? 'Alive' : 'Lost'}
            />
            <span className="font-mono" title={node.id}>
              {node.id.slice(-12)}
            </span>
            {node.is_this && <span className="text-ink-3">answered this page</span>}
            <span>{node.release ?? 'an earlier release'}</span>
            <span className="text-ink-3">
              started <TimeAgo at={node.started_at} />, last heard from <TimeAgo at={node.seen_at} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const uses = { chat: 'answers', embeddings: 'search by meaning', speech: 'speech' };

/** Which providers can be used, and which variable would make the others usable. Keys are never shown. */
function Providers({ system }: { system: SystemReport }) {
  return (
    <Section
      title="Model providers"
      beside={<span className="text-ink-3 text-sm">bots without a model use {system.default_model}</span>}
    >
      <ul className="flex flex-col">
        {system.providers.map((provider) => (
          <li
            key={provider.name}
            className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6"
          >
            <span className="w-28 font-medium">{provider.name}</span>
            <span className="w-28">
              {provider.is_ready ? (
                <StateBadge state="success" text={provider.has_key ? 'Key set' : 'Ready'} />
              ) : (
                <span className="text-ink-3">No key</span>
              )}
            </span>
            <span className="text-ink-2">{provider.uses.map((use) => uses[use]).join(', ')}</span>
            {!provider.is_ready && provider.key_variable && (
              <span className="flex items-center gap-1 text-ink-3 md:ml-auto">
                set <code className="font-mono">{provider.key_variable}</code>
                <CopyButton text={provider.key_variable} label={`Copy ${provider.key_variable}`} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const transports = { twilio: 'Twilio', sip: 'SIP trunk' };

/** What of voice is set up. */
function VoiceParts() {
  const voice = useRead(voiceQuery);
  if (voice.data) return <VoiceReportParts voice={voice.data} />;
  if (voice.isPending) return <RowsLoading rows={3} />;
  return <LoadError query={voice} className="px-4 md:px-6" />;
}

function VoiceReportParts({ voice: { transport, listening, speaking, problems } }: { voice: VoiceReport }) {
  return (
    <>
      <dl className="flex flex-col">
        <Part title="Telephone">
          {transport ? (
            <StateBadge state="success" text={transports[transport]} />
          ) : (
            <span className="text-ink-3">Off: set SVC_VOICE_TRANSPORT.</span>
          )}
          <TextLink path="/voice/numbers">Numbers</TextLink>
        </Part>
        <Part title="Listens with">
          <ProviderNames names={listening} />
        </Part>
        <Part title="Speaks with">
          <ProviderNames names={speaking} />
        </Part>
      </dl>
      {problems.map((problem) => (
        <p key={problem} className="px-4 pt-2 text-sm text-warning-ink [overflow-wrap:anywhere] md:px-6">
          {problem}
        </p>
      ))}
    </>
  );
}

function ProviderNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className="text-ink-3">nothing</span>;
  return <StateBadge state="success" text={names.map(providerName).join(', ')} isWrapping />;
}

/** One part of the installation and its state. */
function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6">
      <dt className="w-28 shrink-0 text-ink-2">{title}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-3">{children}</dd>
    </div>
  );
}

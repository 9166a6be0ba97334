import type { VoiceReport } from '@svc/contract/console-voice';
import { useQuery } from '@tanstack/react-query';
import { voiceQuery } from '../../../api/voice.ts';
import { TextLink, useWorkspace } from '../../../app/workspace.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { providerName } from '../../voice/catalog-groups.ts';
import { Part } from './part.tsx';

const transports = { twilio: 'Twilio', sip: 'SIP trunk' };

/** What of voice is set up. */
export function VoiceParts() {
  const { api } = useWorkspace();
  const voice = useQuery(voiceQuery(api));
  if (voice.data) return <Parts voice={voice.data} />;
  if (voice.isPending) return <RowsLoading rows={3} />;
  return <LoadError query={voice} className="px-4 md:px-6" />;
}

function Parts({ voice: { transport, listening, speaking, problems } }: { voice: VoiceReport }) {
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
          <Providers names={listening} />
        </Part>
        <Part title="Speaks with">
          <Providers names={speaking} />
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

function Providers({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className="text-ink-3">nothing</span>;
  return <StateBadge state="success" text={names.map(providerName).join(', ')} isWrapping />;
}

import type { VoiceReport } from '@svc/contract/console-voice';
import { voiceQuery } from '../../api/voice.ts';
import { useRead } from '../../app/workspace.tsx';
import { CodeBlock } from '../../kit/buttons.tsx';
import { StateIcon } from '../../kit/labels.tsx';
import { describeDestinations, describePace } from './dial-texts.ts';

const twilio = 'SVC_VOICE_TRANSPORT=twilio\nTWILIO_ACCOUNT_SID=AC…\nTWILIO_AUTH_TOKEN=…';
const sip = 'SVC_VOICE_TRANSPORT=sip\nSIP_TRUNK_URI=sip:trunk.example.com\nSIP_USERNAME=…\nSIP_PASSWORD=…';

/** What calls lack on this service, and which variables to set, folded below a list; nothing if they lack nothing. */
export function VoiceNotice({ isFolded = false }: { isFolded?: boolean }) {
  const { data } = useRead(voiceQuery);
  if (!data || (data.transport !== null && data.problems.length === 0)) return null;
  return (
    <section aria-label="What calls need" className="flex flex-col gap-3 bg-warning-tint px-4 py-3 md:px-6">
      {data.transport === null && <NoTransport isFolded={isFolded} />}
      <ul className="flex flex-col gap-1 text-sm text-warning-ink empty:hidden">
        {data.problems.map((problem) => (
          <li key={problem} className="flex items-start gap-2">
            <StateIcon state="warning" className="mt-0.5" />
            <span className="min-w-0 [overflow-wrap:anywhere]">{problem}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoTransport({ isFolded }: { isFolded: boolean }) {
  return (
    <>
      <p className="flex items-start gap-2 text-warning-ink">
        <StateIcon state="warning" className="mt-1" />
        <span>
          <strong className="font-semibold">Telephone calls are off.</strong> Set these variables and restart
          the service. The microphone of the website widget works without them.
        </span>
      </p>
      <details open={!isFolded}>
        <summary className="text-sm text-warning-ink pointer-coarse:py-2">Which variables</summary>
        <div className="grid gap-3 pt-2 md:grid-cols-2">
          <CodeBlock label="With Twilio" text={twilio} />
          <CodeBlock label="With a SIP trunk of any carrier" text={sip} />
        </div>
      </details>
    </>
  );
}

/** What bots of the workspace may dial, and how that is changed. */
export function DialRules({ dialing }: { dialing: VoiceReport['dialing'] }) {
  return (
    <details className="border-line border-b px-4 py-2 text-sm md:px-6">
      <summary className="text-ink-2 pointer-coarse:py-2">Where bots can call, and how often</summary>
      <div className="flex max-w-[720px] flex-col gap-2 py-2 text-ink-2">
        <p>{describeDestinations(dialing)} The same goes for the numbers that callers are transferred to.</p>
        <p>{describePace(dialing)}</p>
        <p>
          Whoever runs the service can change this for a workspace, such as with{' '}
          <code>svc workspaces update ID --destinations AT,CH --max-calls-per-hour 200</code>.
        </p>
      </div>
    </details>
  );
}

/** The addresses that Twilio must know. */
export function TwilioWebhooks({ webhooks }: { webhooks: NonNullable<VoiceReport['webhooks']> }) {
  return (
    <details className="border-line border-b px-4 py-2 text-sm md:px-6">
      <summary className="text-ink-2 pointer-coarse:py-2">What to enter at Twilio</summary>
      <div className="flex max-w-[720px] flex-col gap-2 py-2">
        <p className="text-ink-2">
          For every number, under “Voice configuration”, enter the first address for “A call comes in” and the
          second for “Call status changes”, both with HTTP POST.
        </p>
        <CodeBlock label="A call comes in" text={webhooks.incoming} />
        <CodeBlock label="Call status changes" text={webhooks.status} />
      </div>
    </details>
  );
}

import type { QualityFlag } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { PageLink } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';

const flags: { name: QualityFlag; label: string; what: string; cost: string }[] = [
  {
    name: 'enable_confidence_scoring',
    label: 'Grades',
    what: 'Every reply is graded before anybody sees it; below .3 a safe message is sent instead.',
    cost: 'Costs one more model call per reply, and its time: users wait for the whole answer.',
  },
  {
    name: 'enable_response_validation',
    label: 'Verdicts',
    what: 'After an answer from sources, each claim is compared with them.',
    cost: 'Costs one more model call per such answer, in the background: no user waits.',
  },
];

/** Which bots are not watched, and what watching them would cost. */
export function FlagsOff({ bots, botId }: { bots: readonly ConsoleBot[]; botId: string | undefined }) {
  const watched = bots.filter(({ id, status }) => (botId ? id === botId : status === 'active'));
  const missing = flags
    .map((flag) => ({ ...flag, off: watched.filter((bot) => !isOn(bot, flag.name)) }))
    .filter(({ off }) => off.length > 0);
  if (watched.length === 0 || missing.length === 0) return null;
  return (
    <section
      aria-label="Switched off"
      className="grid gap-4 border-line border-b bg-sunken px-4 py-4 md:px-6 lg:grid-cols-2"
    >
      {missing.map(({ name, label, what, cost, off }) => (
        <div key={name} className="flex max-w-prose flex-col gap-1 text-sm">
          <h2 className="font-medium text-base">
            {label} are off for {off.length === 1 ? off[0]?.name : plural(off.length, 'bot')}
          </h2>
          <p className="text-ink-2">{what}</p>
          <p className="text-ink-2">{cost}</p>
          <p className="flex flex-wrap gap-x-3">
            {off.slice(0, 5).map((bot) => (
              <PageLink
                key={bot.id}
                path={`/bots/${bot.id}/quality`}
                className="text-accent-ink hover:underline"
              >
                {off.length === 1 ? 'Change it in the bot' : bot.name}
              </PageLink>
            ))}
            {off.length > 5 && <span className="text-ink-3">and {off.length - 5} more</span>}
          </p>
        </div>
      ))}
    </section>
  );
}

/** A bot's settings are JSON inside of JSON; a flag that is absent is off. */
function isOn({ settings }: ConsoleBot, flag: QualityFlag): boolean {
  try {
    return (JSON.parse(settings) as Partial<Record<QualityFlag, boolean>>)[flag] === true;
  } catch {
    return false;
  }
}

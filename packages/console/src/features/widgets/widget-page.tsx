import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { WidgetCustomization, WidgetKey } from '@svc/contract/widgets';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { botQuery } from '../../api/bots.ts';
import {
  customizationQuery,
  embedCodeQuery,
  saveLook,
  testKeyQuery,
  widgetKeysQuery,
} from '../../api/widgets.ts';
import { LeaveGuard } from '../../app/leave-guard.tsx';
import { NoSuchBot } from '../../app/no-such-bot.tsx';
import { useFieldErrors } from '../../app/use-submit.ts';
import { useHref, useParam, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button, CodeBlock, copyText } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Segments, Select } from '../../kit/fields.tsx';
import { StateBadge } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { Bar, FormLoading, InlineError, LoadError } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyList } from './key-list.tsx';
import { type DraftLook, lookOf, policyLines } from './look.ts';
import { LookFields } from './look-fields.tsx';
import { VisitorFields } from './visitor-fields.tsx';

export function WidgetPage() {
  const botId = useParam('bot');
  // What is not saved yet belongs to one bot.
  return <BotWidget key={botId} botId={botId} />;
}

/** One bot on websites: the snippet, the keys, and the look with the real widget beside it. */
function BotWidget({ botId }: { botId: string }) {
  const { can } = useWorkspace();
  const bot = useRead(botQuery, botId);
  const look = useRead(customizationQuery, botId);
  const keys = useRead(widgetKeysQuery, botId);
  const [draft, setDraft] = useState<Partial<WidgetCustomization>>({});
  const failed = [bot, look, keys].find(({ isError }) => isError);
  const shown = look.data && { ...look.data, ...draft };
  if (bot.error instanceof ApiError && bot.error.status === 404) return <NoSuchBot />;
  return (
    <Page
      title={bot.data ? `${bot.data.name} on your site` : 'Widget'}
      beside={
        <>
          {!can('operator') && <StateBadge state="info" text="View only" />}
          {bot.data?.status === 'inactive' && <StateBadge state="warning" text="The bot is inactive" />}
        </>
      }
    >
      {failed && <LoadError query={failed} className="p-4" />}
      {!failed && (!bot.data || !shown || !keys.data) && <FormLoading />}
      {bot.data && shown && look.data && keys.data && (
        <div className="grid lg:grid-cols-[minmax(0,1fr)_minmax(420px,46%)]">
          <div className="flex min-w-0 flex-col">
            <Snippet bot={bot.data} widgetKeys={keys.data} />
            <KeyList botId={botId} widgetKeys={keys.data} />
            <WidgetForm saved={look.data} draft={draft} botName={bot.data.name} onChange={setDraft} />
          </div>
          <Preview botId={botId} look={lookOf(shown, bot.data)} saved={look.data} />
        </div>
      )}
    </Page>
  );
}

/** The widget reads its whole look again each time, so it is not sent with every key. */
const pauseMilliseconds = 150;

interface PreviewProps {
  botId: string;
  look: DraftLook;
  saved: WidgetCustomization;
}

/** The real widget on a page of the service. It is sent each change, saved or not, and can be talked to. */
function Preview({ botId, look, saved }: PreviewProps) {
  const { api, can } = useWorkspace();
  const [search, change] = useSearchState();
  const device = search['preview'] === 'desktop' ? 'desktop' : 'phone';
  const theme = search['theme'] === 'dark' ? 'dark' : 'light';
  const key = useQuery({ ...testKeyQuery(api, botId), enabled: can('operator') });
  const frame = useRef<HTMLIFrameElement>(null);
  const latest = useRef(look);
  latest.current = look;

  const text = JSON.stringify(look);
  useEffect(() => {
    const timer = setTimeout(() => send(frame.current, JSON.parse(text) as DraftLook), pauseMilliseconds);
    return () => clearTimeout(timer);
    // What is not part of the draft, such as the picture, is read again once it is saved.
  }, [text, saved]);
  useEffect(() => {
    const onReady = ({ origin, source, data }: MessageEvent<{ type?: string } | null>) => {
      const isPreview = origin === location.origin && source === frame.current?.contentWindow;
      if (isPreview && data?.type === 'svc.preview') send(frame.current, latest.current);
    };
    addEventListener('message', onReady);
    return () => removeEventListener('message', onReady);
  }, []);

  return (
    <section
      aria-label="Preview"
      className="flex flex-col items-center gap-3 border-line bg-sunken p-4 max-lg:border-t lg:sticky lg:top-0 lg:h-dvh lg:border-l"
    >
      <div className="flex flex-wrap justify-center gap-3">
        <Segments
          label="Device"
          value={device}
          options={{ phone: 'Phone', desktop: 'Desktop' }}
          onChange={(value) => change({ preview: value })}
        />
        <Segments
          label="Theme"
          value={theme}
          options={{ light: 'Light', dark: 'Dark' }}
          onChange={(value) => change({ theme: value })}
        />
      </div>
      {!can('operator') && (
        <p className="max-w-prose py-12 text-center text-ink-2">
          Operators and owners see the widget here and can try it.
        </p>
      )}
      {key.isError && <InlineError error={key.error} onRetry={() => void key.refetch()} />}
      {key.isPending && can('operator') && <Bar className="h-full min-h-96 w-full max-w-md" />}
      {key.data && (
        <iframe
          ref={frame}
          key={theme}
          title={`The widget on a ${device}, ${theme}`}
          src={`/widget/preview?key=${encodeURIComponent(key.data.api_key)}&theme=${theme}`}
          className={classes(
            'min-h-0 rounded-lg border border-line-strong bg-surface',
            device === 'phone' ? 'h-[660px] max-h-full w-[360px] max-w-full' : 'h-[700px] max-h-full w-full',
          )}
        />
      )}
    </section>
  );
}

function send(frame: HTMLIFrameElement | null, look: DraftLook): void {
  frame?.contentWindow?.postMessage({ type: 'svc.look', look }, location.origin);
}

interface SnippetProps {
  bot: Pick<ConsoleBot, 'id' | 'name'>;
  widgetKeys: readonly WidgetKey[];
}

const hasDomain = ({ allowed_domains: domains }: WidgetKey) => domains.length > 0;

/** The line of HTML that puts the bot on a page. */
function Snippet({ bot, widgetKeys }: SnippetProps) {
  const { api, can } = useWorkspace();
  const active = widgetKeys.filter(({ is_active: isActive }) => isActive);
  const [chosen, setChosen] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const key = active.find(({ id }) => id === chosen) ?? active.findLast(hasDomain) ?? active.at(-1);
  const code = useQuery({ ...embedCodeQuery(api, bot.id, key?.id ?? ''), enabled: key !== undefined });
  return (
    <section aria-labelledby="snippet" className="flex flex-col gap-3 border-line border-b px-4 py-5 md:px-6">
      <h2 id="snippet" className="font-semibold">
        Put it on your site
      </h2>
      {!key && (
        <>
          <p className="max-w-prose text-ink-2">
            A key says which pages may show the chat. With it you get one line of HTML to paste before{' '}
            <code className="font-mono">&lt;/body&gt;</code>.
          </p>
          {can('operator') && (
            <div>
              <Button look="primary" onPress={() => setCreating(true)}>
                Create a key
              </Button>
            </div>
          )}
        </>
      )}
      {key && (
        <>
          {active.length > 1 && (
            <Select
              label="For the key"
              className="max-w-sm"
              value={key.id}
              options={active.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={setChosen}
            />
          )}
          {code.isError && <InlineError error={code.error} onRetry={() => void code.refetch()} />}
          {code.data && (
            <>
              <CodeBlock label="HTML for your page" text={code.data.embed_code} />
              <div>
                <Button
                  look="primary"
                  onPress={() =>
                    void copyText(code.data.embed_code).then(
                      (isDone) => isDone && notify({ text: 'Snippet copied.' }),
                    )
                  }
                >
                  Copy snippet
                </Button>
              </div>
            </>
          )}
          {key.allowed_domains.length === 0 && (
            <p className="text-sm text-warning-ink">
              This key has no domain: it works only on pages of this service. Add your site below.
            </p>
          )}
          <details className="text-sm">
            <summary className="text-ink-2">Does your site have a Content Security Policy?</summary>
            <div className="mt-2 flex flex-col gap-2">
              <p className="max-w-prose text-ink-2">Add this service to these directives of it:</p>
              <CodeBlock label="Content Security Policy" text={policyLines(location.origin)} />
            </div>
          </details>
        </>
      )}
      {isCreating && <KeyDialog botId={bot.id} onClose={() => setCreating(false)} />}
    </section>
  );
}

type Draft = Partial<WidgetCustomization>;

const noHours = { ask_details: 'never', office_hours: null } as const;

interface WidgetFormProps {
  saved: WidgetCustomization;
  draft: Draft;
  botName: string;
  onChange: (change: (draft: Draft) => Draft) => void;
}

/** Changes appear in the preview at once, and on sites when they are saved. */
function WidgetForm({ saved, draft, botName, onChange }: WidgetFormProps) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const href = useHref();
  // A node of the previous release leaves the hours out.
  const shown = { ...noHours, ...saved, ...draft };
  const isReadOnly = !can('operator');
  const changed = (Object.keys(draft) as (keyof Draft)[]).filter((name) => draft[name] !== saved[name]);
  const set = (change: Draft) => onChange((before) => ({ ...before, ...change }));
  const saving = useMutation({
    mutationFn: (sent: Draft) => saveLook(api, { bot_id: saved.bot_id, ...sent }),
    onSuccess(look, sent) {
      client.setQueryData(customizationQuery(api, saved.bot_id).queryKey, look);
      // What was typed while it was being saved is kept.
      onChange((now) => pick(now, (name) => now[name] !== sent[name]));
      notify({ text: 'Saved. Sites show it within a minute.' });
    },
  });
  const { at, error } = useFieldErrors(saving.error, shown);
  const fields = { value: shown, onChange: set, at, isReadOnly };

  return (
    <>
      <LeaveGuard
        isDirty={changed.length > 0}
        isKeptAt={({ pathname }) => pathname === href(`/widgets/${saved.bot_id}`)}
        changes="the widget"
      />
      <form
        className="flex flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(pick(draft, (name) => changed.includes(name)));
        }}
      >
        <Section id="look" title="Look">
          <LookFields {...fields} botName={botName} />
        </Section>
        <Section id="visitors" title="Visitors">
          <VisitorFields {...fields} />
        </Section>
        {error !== undefined && (
          <div className="px-4 pt-5 md:px-6">
            <InlineError error={error} />
          </div>
        )}
        {!isReadOnly && (
          <div className="flex items-center gap-3 px-4 py-5 md:px-6">
            <Button type="submit" isDisabled={changed.length === 0} isBusy={saving.isPending}>
              Save
            </Button>
            {changed.length > 0 && (
              <>
                <Button look="quiet" onPress={() => onChange(() => ({}))}>
                  Discard
                </Button>
                <span className="text-ink-3 text-sm">Not saved yet.</span>
              </>
            )}
          </div>
        )}
      </form>
    </>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4 border-line border-b px-4 py-5 md:px-6">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      <div className="flex max-w-xl flex-col gap-4">{children}</div>
    </section>
  );
}

function pick(draft: Draft, isWanted: (name: keyof Draft) => boolean): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => isWanted(name as keyof Draft)));
}

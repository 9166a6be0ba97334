import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { testKeyQuery } from '../../api/widgets.ts';
import { useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { classes } from '../../kit/classes.ts';
import { Segments } from '../../kit/fields.tsx';
import { Bar, InlineError } from '../../kit/placeholders.tsx';
import type { DraftLook } from './look.ts';

/** The widget reads its whole look again each time, so it is not sent with every key. */
const pauseMilliseconds = 150;

/** The real widget on a page of the service. It is sent each change, saved or not, and can be talked to. */
export function Preview({ botId, look }: { botId: string; look: DraftLook }) {
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
  }, [text]);
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
          options={[
            { value: 'phone', label: 'Phone' },
            { value: 'desktop', label: 'Desktop' },
          ]}
          onChange={(value) => change({ preview: value })}
        />
        <Segments
          label="Theme"
          value={theme}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
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

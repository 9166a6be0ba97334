import type { ConsoleBot } from '@svc/contract/console-bots';
import type { WidgetKey } from '@svc/contract/widgets';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { embedCodeQuery } from '../../api/widgets.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button, CodeBlock, copyText } from '../../kit/buttons.tsx';
import { Select } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { policyLines } from './look.ts';

interface SnippetProps {
  bot: Pick<ConsoleBot, 'id' | 'name'>;
  widgetKeys: readonly WidgetKey[];
}

const hasDomain = ({ allowed_domains: domains }: WidgetKey) => domains.length > 0;

/** The line of HTML that puts the bot on a page. */
export function Snippet({ bot, widgetKeys }: SnippetProps) {
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

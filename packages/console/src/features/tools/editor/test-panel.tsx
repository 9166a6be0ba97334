import type { OfferedFunction } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool, ToolTestResult } from '@svc/contract/tools';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { listDraftFunctions, testDraft } from '../../../api/tools.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { duration } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { Select, Switch } from '../../../kit/fields.tsx';
import { formatJsonPath, isWritable, type JsonPath } from '../../../kit/json-path.ts';
import { JsonTree } from '../../../kit/json-tree.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { findFaults } from '../../../kit/schema-faults.ts';
import type { FieldSchema, FormValue } from '../../../kit/schema-fields.ts';
import { SchemaForm } from '../../../kit/schema-form.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { testedDraft } from './tool-draft.ts';
import type { ToolForm } from './use-tool-form.ts';

interface TestPanelProps {
  entry: CatalogEntry;
  /** Undefined for a new one. */
  tool: Tool | undefined;
  form: ToolForm;
}

interface Ran {
  result: ToolTestResult;
  /** Without `response_path`, so that values can be chosen. */
  isWhole: boolean;
}

/** Runs what the form says once, for real, saved or not. */
export function TestPanel({ entry, tool, form }: TestPanelProps) {
  const { api } = useWorkspace();
  const { draft, change } = form;
  const { configuration } = draft;
  const [parameters, setParameters] = useState<FormValue>({});
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [chosen, setChosen] = useState<string>();
  const [wantsWhole, setWantsWhole] = useState(false);
  const isMcp = entry.tool_type === 'mcp';
  const own = configuration['parameters'] as FieldSchema | undefined;
  const isOwn = 'parameters' in ((entry.configuration_schema as FieldSchema).properties ?? {});

  const listing = useMutation({
    mutationFn: () => listDraftFunctions(api, testedDraft(entry, draft, tool)),
  });
  const functions: readonly OfferedFunction[] = listing.data ?? [];
  const current = isMcp ? functions.find(({ key }) => key === chosen) : functions[0];
  const schema: FieldSchema = isOwn ? (own ?? {}) : (current?.parameters ?? {});
  const hasPath = typeof configuration['response_path'] === 'string';

  const running = useMutation({
    mutationFn: async (): Promise<Ran> => {
      const isWhole = !hasPath || wantsWhole;
      const { response_path: _path, ...whole } = configuration;
      const tested = testedDraft(entry, isWhole ? { ...draft, configuration: whole } : draft, tool);
      const given = isMcp ? { ...(chosen && { tool: chosen, arguments: parameters }) } : parameters;
      return { result: await testDraft(api, { ...tested, parameters: given }), isWhole };
    },
    onError: (error) => form.setError(error),
  });

  const list = useEffectEvent(() => {
    if (!isOwn && !isMcp) listing.mutate();
  });
  useEffect(() => list(), []);

  function run(): void {
    const wrong = findFaults(schema, parameters);
    setFaults(wrong);
    form.setError(undefined);
    if (wrong.size === 0 && form.check()) running.mutate();
  }

  return (
    <form
      className="flex flex-col gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {isMcp && (
        <div className="flex flex-wrap items-end gap-2">
          <Button isBusy={listing.isPending} onPress={() => form.check() && listing.mutate()}>
            {listing.data ? 'Ask the server again' : 'See what the server offers'}
          </Button>
          {functions.length > 0 && (
            <Select
              label="Tool of the server"
              options={functions.map(({ key, unusable }) => ({
                value: key,
                label: key,
                ...(unusable && { description: unusable }),
              }))}
              value={chosen ?? null}
              placeholder="Choose one to call it"
              onChange={(key) => {
                setChosen(key);
                setParameters({});
              }}
              className="min-w-48 flex-1"
            />
          )}
        </div>
      )}
      {listing.error && <InlineError error={listing.error} />}
      <SchemaForm schema={schema} value={parameters} onChange={setParameters} errors={faults} />
      {hasPath && (
        <Switch
          label="Show the whole answer"
          description="Not only the part that the model gets."
          isOn={wantsWhole}
          onChange={setWantsWhole}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="secondary" icon={<Play aria-hidden />} isBusy={running.isPending}>
          Run
        </Button>
        <span className="text-ink-3 text-sm">
          It really runs{form.isChanged || !tool ? ', as the form says now' : ''}.
        </span>
      </div>
      {running.error && <InlineError error={running.error} />}
      {running.data && (
        <TestResult
          key={running.submittedAt}
          result={running.data.result}
          {...(isOwn &&
            running.data.isWhole && {
              onResponsePath: (path: string) =>
                change({ configuration: { ...configuration, response_path: path } }),
            })}
          responsePath={hasPath ? String(configuration['response_path']) : undefined}
        />
      )}
    </form>
  );
}

interface TestResultProps {
  result: ToolTestResult;
  responsePath: string | undefined;
  /** Makes a value of the answer what the model gets. */
  onResponsePath?: (path: string) => void;
}

/** What was sent, with secrets masked, and what came back. */
function TestResult({ result, responsePath, onResponsePath }: TestResultProps) {
  const [picked, setPicked] = useState<JsonPath>();
  const { success, error, execution_time_ms: took, resolved_request: request } = result;
  const answer = httpAnswer(result.result);
  function pick(path: JsonPath): void {
    setPicked(path);
    onResponsePath?.(formatJsonPath(path));
  }
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-4">
      {request && <SentRequest request={request} />}
      <div className="flex flex-col gap-2">
        <p className="flex flex-wrap items-center gap-x-3">
          <StateBadge
            state={success ? 'success' : 'danger'}
            text={success ? 'It worked' : 'It failed'}
            isFilled
          />
          <span className="text-ink-2 text-sm">
            {answer && `Status ${answer.status} · `}
            {duration(took)}
          </span>
        </p>
        {error !== undefined && (
          <p className="whitespace-pre-wrap break-words rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
            {error}
          </p>
        )}
        {onResponsePath && answer && (
          <p className="text-ink-3 text-sm">Click a value to give the model only that part.</p>
        )}
        <JsonTree
          label="Answer"
          value={answer ? answer.body : result.result}
          openDepth={3}
          {...(onResponsePath &&
            answer && {
              onSelect: (path: JsonPath) => isWritable(path) && pick(path),
            })}
        />
        {picked && onResponsePath && responsePath && (
          <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
            <span>
              The model gets <code className="rounded-sm bg-sunken px-1">{responsePath}</code>
            </span>
            {picked.some((step) => typeof step === 'number') && (
              <Button
                size="small"
                onPress={() => onResponsePath(formatJsonPath(picked, { everyEntry: true }))}
              >
                Every entry: {formatJsonPath(picked, { everyEntry: true })}
              </Button>
            )}
          </p>
        )}
      </div>
    </section>
  );
}

function SentRequest({ request }: { request: NonNullable<ToolTestResult['resolved_request']> }) {
  const { method, url, headers, body } = request;
  return (
    <section aria-label="Request" className="flex flex-col gap-1">
      <h3 className="font-medium text-sm">Request</h3>
      <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-md bg-sunken px-3 py-2 font-mono text-sm">
        <span className="font-semibold">{method}</span> {url}
        {Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`)}
        {body !== null && `\n\n${body}`}
      </pre>
    </section>
  );
}

/** What an HTTP request results in; other tools have results of their own. */
function httpAnswer(result: unknown): { status: number; body: unknown } | undefined {
  if (typeof result !== 'object' || result === null || !('status' in result) || !('body' in result))
    return undefined;
  return typeof result.status === 'number' ? { status: result.status, body: result.body } : undefined;
}

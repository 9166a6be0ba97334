import type { ToolTestResult } from '@svc/contract/tools';
import { useState } from 'react';
import { duration } from '../../../format/time.ts';
import { Button } from '../../../kit/buttons.tsx';
import { formatJsonPath, isWritable, type JsonPath } from '../../../kit/json-path.ts';
import { JsonTree } from '../../../kit/json-tree.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';

interface TestResultProps {
  result: ToolTestResult;
  responsePath: string | undefined;
  /** Makes a value of the answer what the model gets. */
  onResponsePath?: (path: string) => void;
}

/** What was sent, with secrets masked, and what came back. */
export function TestResult({ result, responsePath, onResponsePath }: TestResultProps) {
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

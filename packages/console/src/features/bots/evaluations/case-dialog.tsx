import type { CaseReason, EvaluationCase } from '@svc/contract/evaluations';
import { useQuery } from '@tanstack/react-query';
import { evaluationQuery } from '../../../api/evaluations.ts';
import { TextLink, useWorkspace } from '../../../app/workspace.tsx';
import { money } from '../../../format/numbers.ts';
import { Dialog } from '../../../kit/dialogs.tsx';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { caseStates } from './case-states.ts';

interface CaseDialogProps {
  botId: string;
  evaluationId: string;
  scenarioId: string;
  onClose: () => void;
}

/** One scenario in one evaluation: whether it passed, why not, and what was said. */
export function CaseDialog({ botId, evaluationId, scenarioId, onClose }: CaseDialogProps) {
  const { api } = useWorkspace();
  const evaluation = useQuery(evaluationQuery(api, botId, evaluationId));
  const found = evaluation.data?.cases.find((one) => one.scenario_id === scenarioId);
  const version = evaluation.data && ` in version ${evaluation.data.version}`;
  return (
    <Dialog title={`${found?.name ?? 'Scenario'}${version ?? ''}`} onClose={onClose} size="large">
      {evaluation.isPending && (
        <Loading label="Reading the evaluation">
          <Bar className="h-40" />
        </Loading>
      )}
      {evaluation.isError && (
        <InlineError error={evaluation.error} onRetry={() => void evaluation.refetch()} />
      )}
      {evaluation.data && !found && <p>This evaluation has no such scenario.</p>}
      {found && <CaseDetail one={found} />}
    </Dialog>
  );
}

function CaseDetail({ one }: { one: EvaluationCase }) {
  const { state, text } = caseStates[one.status];
  const others = one.reasons.filter(({ kind }) => kind !== 'fact_missing');
  return (
    <div className="flex flex-col gap-5">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateBadge state={state} text={text} isFilled />
        {one.previous && (
          <span className="text-ink-2 text-sm">
            before, in version {one.previous.version}: {caseStates[one.previous.status].text.toLowerCase()}
          </span>
        )}
        <span className="text-ink-2 text-sm">{money(one.cost_usd)}</span>
        {one.conversation_id && (
          <TextLink path={`/conversations/${one.conversation_id}`} className="text-sm underline-offset-2">
            Open the conversation
          </TextLink>
        )}
      </p>
      {others.length > 0 && (
        <ul aria-label="Why it did not pass" className="flex flex-col gap-1.5">
          {others.map((reason) => (
            <li key={`${reason.kind} ${reason.function ?? reason.message}`}>
              <StateBadge state="danger" text={reasonText(reason)} />
              {reason.kind === 'error' && <span className="block pl-5 text-ink-2">{reason.message}</span>}
            </li>
          ))}
        </ul>
      )}
      {one.facts.length > 0 && (
        <section aria-label="Facts" className="flex flex-col gap-2">
          <h3 className="font-semibold">Facts</h3>
          {one.facts.map((fact) => (
            <div key={fact.fact} className="border-line border-t pt-2">
              <p className="flex flex-wrap justify-between gap-x-3">
                <span>{fact.fact}</span>
                <StateBadge
                  state={fact.holds ? 'success' : 'danger'}
                  text={fact.holds ? 'Holds' : 'Does not hold'}
                />
              </p>
              <p className="text-ink-2 text-sm">{fact.explanation}</p>
            </div>
          ))}
        </section>
      )}
      <section aria-label="What was said" className="flex flex-col gap-2">
        <h3 className="font-semibold">What was said</h3>
        {one.transcript.length === 0 && <p className="text-ink-2">Nothing yet.</p>}
        {one.transcript.map((message) => (
          <p key={message.id} className="border-line border-t pt-2">
            <span className="block text-ink-3 text-xs">{speakers[message.role]}</span>
            <span dir="auto" className="whitespace-pre-wrap break-words">
              {message.content || message.tool_calls.map(({ name }) => `Calls ${name}`).join(', ')}
            </span>
          </p>
        ))}
      </section>
    </div>
  );
}

const speakers = { user: 'User', assistant: 'Bot', tool: 'Stand-in', operator: 'Team' };

function reasonText({ kind, function: name = 'A function', code = '' }: CaseReason): string {
  if (kind === 'not_called') return `${name} was not called`;
  return kind === 'called' ? `${name} was called` : `It could not be decided (${code})`;
}

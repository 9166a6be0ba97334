import type { Approval, ApprovalDetail, ApprovalStatus } from '@svc/contract/approvals';
import { visibleJson, visibleParts } from '@svc/contract/visible-text';
import { Pencil, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton, IconButton } from '../../kit/buttons.tsx';
import { DiffView } from '../../kit/diff-view.tsx';
import { Folded } from '../../kit/folded.tsx';
import { VisibleText } from '../../kit/labels.tsx';
import { needsQuotes } from './changed-arguments.ts';

interface ApprovalRequestProps {
  approval: Approval | ApprovalDetail;
  /** Begins to change the arguments, with this one; left out where they cannot be changed. */
  onEdit?: ((argument: string) => void) | undefined;
  /** False while a press may be meant for what was there before. */
  isReady?: boolean | undefined;
  /** In place of the arguments. */
  editor?: ReactNode;
}

/** The thing itself: the exact diff, command or request, and every argument. If a person changed it, what was sent instead. */
export function ApprovalRequest({ approval, onEdit, isReady, editor }: ApprovalRequestProps) {
  const edited = 'edited_arguments' in approval ? approval.edited_arguments : null;
  if (!edited || approval.is_question) return <Request {...{ approval, onEdit, isReady, editor }} />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <section aria-label="What was sent" className="flex min-w-0 flex-col gap-1">
        <h3 className="text-ink-2 text-sm">What was sent</h3>
        <ArgumentList value={edited} />
      </section>
      <Folded title="What was asked for before the change">
        <Request approval={approval} />
      </Folded>
    </div>
  );
}

/** Answers are in sight below a long request. */
export const actionBar =
  'sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-canvas py-3 max-sm:[&>button]:flex-1';

const titles: Record<ApprovalStatus, string> = {
  pending: 'What it would send',
  approved: 'What was sent',
  approved_edited: 'What it would have sent',
  denied: 'What it would have sent',
  cancelled: 'What it would have sent',
  expired: 'What it would have sent',
};

function Request({ approval, onEdit, isReady, editor }: ApprovalRequestProps) {
  const { context, arguments: given, is_question: isQuestion, status } = approval;
  const entries = Object.keys(given);
  const hasHidden = [JSON.stringify(given), textOf(context)].some((text) =>
    visibleParts(text).some(({ isHidden }) => isHidden),
  );
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {hasHidden && (
        <p className="flex gap-2 rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {String.raw`This contains invisible characters. They are shown as codes such as \u{202e}.`}
        </p>
      )}
      {context.kind === 'diff' && <DiffView label={context.path} patch={context.diff} />}
      {context.kind === 'command' && (
        <Code
          title={`On ${context.machine}, in ${context.cwd}${context.network ? ', with access to the network' : ''}`}
          text={context.command}
        />
      )}
      {isQuestion && context.kind === 'call' && <Code title="What it asks" text={context.summary} />}
      {editor ??
        (isQuestion ? null : context.kind === 'call' ? (
          <ArgumentList value={given} onEdit={onEdit} isReady={isReady} />
        ) : (
          <Folded title="All arguments">
            <ArgumentList value={given} onEdit={onEdit} isReady={isReady} />
          </Folded>
        ))}
      {context.kind === 'call' && !isQuestion && (
        <>
          {/* Where it goes is in no argument. */}
          <p className="truncate font-mono text-ink-2 text-sm">
            <VisibleText text={context.summary.split('\n', 1)[0] ?? ''} />
          </p>
          <Folded title="The whole request" isOpen={hasHidden || entries.length === 0}>
            <Code title={titles[status]} text={context.summary} />
          </Folded>
        </>
      )}
    </div>
  );
}

function Code({ title, text }: { title: string; text: string }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-center justify-between gap-2 text-ink-2 text-sm">
        <span className="min-w-0 break-words">
          <VisibleText text={title} />
        </span>
        <CopyButton text={text} />
      </figcaption>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap rounded-md bg-sunken px-3 py-2 font-mono text-sm [overflow-wrap:anywhere]"
      >
        <VisibleText text={text} />
      </pre>
    </figure>
  );
}

function textOf(context: Approval['context']): string {
  if (context.kind === 'diff') return `${context.path}${context.diff}`;
  return context.kind === 'command' ? `${context.command}${context.cwd}${context.machine}` : context.summary;
}

/** The exact arguments, one per row. */
function ArgumentList({
  value,
  onEdit,
  isReady = false,
}: { value: Record<string, unknown> } & Pick<ApprovalRequestProps, 'onEdit' | 'isReady'>) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="text-ink-3">No arguments.</p>;
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-base">
      {entries.map(([name, argument]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="max-w-40 break-words text-ink-2 sm:max-w-60">
            <VisibleText text={name} />
          </dt>
          <dd className="flex min-w-0 items-start gap-1">
            <div className="min-w-0">
              <ArgumentValue value={argument} />
            </div>
            {onEdit && (
              <IconButton
                label={`Change ${name}`}
                icon={<Pencil aria-hidden />}
                isDisabled={!isReady}
                className="-my-1.5 size-7"
                onPress={() => onEdit(name)}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ArgumentValue({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    const quote = needsQuotes(value) && <span className="select-none text-ink-3">"</span>;
    return (
      <span className="block max-h-80 overflow-y-auto whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
        {quote}
        <bdi>
          <VisibleText text={value} />
        </bdi>
        {quote}
      </span>
    );
  }
  return (
    <span className="block max-h-80 overflow-y-auto whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
      {visibleJson(value) ?? 'undefined'}
    </span>
  );
}

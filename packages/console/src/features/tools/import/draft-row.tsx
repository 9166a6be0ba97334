import type { DraftedTool } from '@svc/contract/discover';
import { TextLink } from '../../../app/workspace.tsx';
import { Checkbox, Switch } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';

/** What became of it, once it was added. */
export interface ImportState {
  id?: string;
  error?: unknown;
}

interface DraftRowProps {
  tool: DraftedTool;
  isChosen: boolean;
  onChosen: (isChosen: boolean) => void;
  asksFirst: boolean;
  onAsksFirst: (asks: boolean) => void;
  state: ImportState | undefined;
}

export function DraftRow({ tool, isChosen, onChosen, asksFirst, onAsksFirst, state }: DraftRowProps) {
  const { name, description, configuration } = tool;
  const id = state?.id;
  return (
    <li className="flex flex-col gap-2 border-line border-b py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <Checkbox isSelected={isChosen || id !== undefined} isDisabled={id !== undefined} onChange={onChosen}>
          <span className="font-medium">{name}</span>
          <code className="block break-all text-ink-2 text-sm">
            {String(configuration['method'])} {String(configuration['url'])}
          </code>
          <span className="line-clamp-2 text-ink-3 text-sm">{description}</span>
        </Checkbox>
        {id === undefined ? (
          <Switch label="Ask first" isOn={asksFirst} onChange={onAsksFirst} />
        ) : (
          <span className="flex items-center gap-3">
            <StateBadge state="success" text="Added" />
            <TextLink path={`/tools/${id}`} search={{ test: 1 }}>
              Try it
            </TextLink>
          </span>
        )}
      </div>
      {state?.error !== undefined && <InlineError error={state.error} />}
    </li>
  );
}

import type { BotTool } from '@svc/contract/bot-versions';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { botToolChoicesQuery, type ToolChoice } from '../../../api/tools.ts';
import { PageLink, TextLink, useRead } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { Checkbox, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { newAssignment } from './bot-form.ts';
import { useBotEditor } from './editor-context.tsx';

/** What the bot can call. Part of the draft: nothing changes for visitors until it is saved. */
export function ToolsTab() {
  const { form, change, canEdit } = useBotEditor();
  const choices = useRead(botToolChoicesQuery);
  const [isPicking, setPicking] = useState(false);
  if (choices.isPending) return <RowsLoading rows={3} />;
  if (choices.isError) return <LoadError query={choices} />;
  const add = (
    <Button icon={<Plus aria-hidden />} onPress={() => setPicking(true)}>
      Add a tool
    </Button>
  );
  return (
    <div className="flex flex-col py-4 md:py-5">
      {form.tools.length === 0 ? (
        <EmptyState title="This bot has no tools" {...(canEdit && { action: add })}>
          With tools it does more than talk: it looks up orders, sends mail or works on files. In the test
          beside, calls that change something ask you first.
        </EmptyState>
      ) : (
        <>
          <ul aria-label="Tools of the bot" className="flex flex-col">
            {form.tools.map((tool, index) => (
              <AssignedToolRow
                key={tool.tool_configuration_id ?? tool.tool_type}
                tool={tool}
                choice={choices.data.find(
                  ({ type, id }) => type === tool.tool_type && id === tool.tool_configuration_id,
                )}
                index={index}
              />
            ))}
          </ul>
          {canEdit && <div className="px-4 pt-4 md:px-6">{add}</div>}
        </>
      )}
      <p className="px-4 pt-4 text-ink-3 text-sm md:px-6">
        Whether a tool asks before it runs is set on <TextLink path="/tools">the tool itself</TextLink>, for
        every bot that has it.
      </p>
      <ToolPicker
        isOpen={isPicking}
        onClose={() => setPicking(false)}
        choices={choices.data.filter(
          ({ type, id }) =>
            !form.tools.some((tool) => tool.tool_type === type && tool.tool_configuration_id === id),
        )}
        onPick={({ type, id }) => {
          setPicking(false);
          change({ tools: [...form.tools, newAssignment(type, id)] });
        }}
      />
    </div>
  );
}

interface AssignedToolRowProps {
  tool: BotTool;
  /** Undefined if the tool is gone. */
  choice: ToolChoice | undefined;
  index: number;
}

/** A tool of the bot, and how the bot uses it. */
function AssignedToolRow({ tool, choice, index }: AssignedToolRowProps) {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const name = choice?.name ?? tool.tool_type;
  const at = (field: string) => errorAt(`assignments.${index}.${field}`);
  const error = at('tool_type') ?? at('tool_configuration_id');
  const set = (part: Partial<BotTool>) => change({ tools: form.tools.with(index, { ...tool, ...part }) });
  return (
    <li className="flex flex-col gap-2 border-line border-b px-4 py-3 md:px-6">
      <div className="flex items-center gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          {tool.tool_configuration_id ? (
            <PageLink
              path={`/tools/${tool.tool_configuration_id}`}
              className="font-medium underline-offset-2 hover:underline"
            >
              {name}
            </PageLink>
          ) : (
            <span className="font-medium">{name}</span>
          )}
          <span className="text-ink-3 text-sm">{tool.tool_type}</span>
          <Asks choice={choice} />
        </div>
        {canEdit && (
          <IconButton
            label={`Remove ${name}`}
            icon={<X aria-hidden />}
            onPress={() => change({ tools: form.tools.toSpliced(index, 1) })}
          />
        )}
      </div>
      {error && <p className="text-danger-ink text-sm">{error}</p>}
      <details className="text-sm" open={tool.tool_instructions !== ''}>
        <summary className="text-ink-2 pointer-coarse:py-2">How this bot uses it</summary>
        <div className="flex max-w-[720px] flex-col gap-3 pt-2">
          <TextAreaField
            label="Instructions for the model"
            minRows={2}
            placeholder="Ask for the order number first."
            value={tool.tool_instructions}
            onChange={(tool_instructions) => set({ tool_instructions })}
            isReadOnly={!canEdit}
          />
          <Checkbox
            isSelected={tool.tool_error_handling_mode === 'hide'}
            onChange={(isHidden) => set({ tool_error_handling_mode: isHidden ? 'hide' : 'passthrough' })}
            isDisabled={!canEdit}
          >
            Tell the model only that it failed, not why
          </Checkbox>
        </div>
      </details>
    </li>
  );
}

function Asks({ choice }: { choice: ToolChoice | undefined }) {
  if (!choice) return <StateBadge state="danger" text="deleted" />;
  if (!choice.isActive) return <StateBadge state="warning" text="switched off" />;
  if (choice.asks === 'always') return <StateBadge state="paused" text="asks first" />;
  if (choice.isReadOnly) return <span className="text-ink-3 text-sm">only reads</span>;
  return choice.asks === 'never' ? <span className="text-ink-3 text-sm">runs without asking</span> : null;
}

interface ToolPickerProps {
  isOpen: boolean;
  choices: readonly ToolChoice[];
  onClose: () => void;
  onPick: (choice: ToolChoice) => void;
}

/** Chooses a tool for the bot. */
function ToolPicker({ isOpen, choices, onClose, onPick }: ToolPickerProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const usable = choices.filter(({ isActive }) => isActive);
  const shown = usable.filter(({ name, type, description }) =>
    `${name} ${type} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Dialog title="Add a tool" isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <TextField
          label="Find a tool"
          hideLabel
          placeholder="Find a tool"
          value={text}
          onChange={setText}
          autoFocus
        />
        <ul className="flex flex-col">
          {shown.map((choice) => (
            <li key={choice.id ?? choice.type} className="border-line border-b last:border-0">
              <button
                type="button"
                onClick={() => onPick(choice)}
                className="flex w-full flex-col gap-0.5 rounded-md px-2 py-2 text-left hover:bg-hover"
              >
                <span className="font-medium">
                  {choice.name} <span className="font-normal text-ink-3 text-sm">{choice.type}</span>
                </span>
                <span className="line-clamp-2 text-ink-2 text-sm">{choice.description}</span>
              </button>
            </li>
          ))}
        </ul>
        {shown.length === 0 && (
          <p className="text-ink-2">
            {usable.length === 0 ? 'The bot has every tool there is.' : 'No tool matches.'}
          </p>
        )}
        <TextLink path="/tools/new" className="w-fit text-sm">
          Connect something new
        </TextLink>
      </div>
    </Dialog>
  );
}

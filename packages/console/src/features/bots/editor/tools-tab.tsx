import type { BotTool } from '@svc/contract/bot-versions';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { botToolChoicesQuery } from '../../../api/bot-tools.ts';
import { TextLink, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { AssignedToolRow } from './assigned-tool-row.tsx';
import { useBotEditor } from './editor-context.tsx';
import { ToolPicker } from './tool-picker.tsx';

/** What the bot can call. Part of the draft: nothing changes for visitors until it is saved. */
export function ToolsTab() {
  const { api } = useWorkspace();
  const { form, change, canEdit, errorAt } = useBotEditor();
  const choices = useQuery(botToolChoicesQuery(api));
  const [isPicking, setPicking] = useState(false);
  if (choices.isPending) return <RowsLoading rows={3} />;
  if (choices.isError) return <LoadError query={choices} />;
  const set = (index: number, tool: BotTool) => change({ tools: form.tools.with(index, tool) });
  const remove = (index: number) => change({ tools: form.tools.filter((_one, at) => at !== index) });
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
                error={
                  errorAt(`assignments.${index}.tool_type`) ??
                  errorAt(`assignments.${index}.tool_configuration_id`)
                }
                canEdit={canEdit}
                onChange={(next) => set(index, next)}
                onRemove={() => remove(index)}
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
          change({
            tools: [
              ...form.tools,
              {
                tool_type: type,
                tool_configuration_id: id,
                tool_instructions: '',
                speak_during_execution: false,
                speak_after_execution: false,
                tool_error_handling_mode: 'passthrough',
              },
            ],
          });
        }}
      />
    </div>
  );
}

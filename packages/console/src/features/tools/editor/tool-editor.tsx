import type { ToolUse } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { Play } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { LeaveGuard, type NextPage } from '../../../app/leave-guard.tsx';
import { useHref, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Page } from '../../../kit/page.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { TestPanel } from './test-panel.tsx';
import { ToolFields } from './tool-fields.tsx';
import { ToolMenu } from './tool-menu.tsx';
import { useToolForm } from './use-tool-form.ts';

interface ToolEditorProps {
  entry: CatalogEntry;
  /** Undefined for a new one. */
  tool: Tool | undefined;
  use: ToolUse | undefined;
  presetId: string | undefined;
}

/** The form of a tool, with a test of what it says beside it. */
export function ToolEditor({ entry, tool, use, presetId }: ToolEditorProps) {
  const { can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const href = useHref();
  const form = useToolForm({ entry, tool, presetId });
  const isReadOnly = !can('operator');
  const isTesting = search['test'] === '1' && !isReadOnly;
  /** The address of a new one names its type. */
  const isKeptAt = ({ pathname, search: next }: NextPage) =>
    pathname === href(`/tools/${tool?.id ?? 'new'}`) &&
    next['type'] === search['type'] &&
    next['preset'] === search['preset'];
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.key !== 's' || isReadOnly) return;
    event.preventDefault();
    void form.save();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <Page
      isFixed
      title={tool?.name ?? `New tool: ${entry.name}`}
      beside={
        <span className="text-ink-3 text-sm">
          {tool && entry.name}
          {isReadOnly && ' · View only'}
        </span>
      }
      actions={
        !isReadOnly && (
          <>
            {!isTesting && (
              <Button icon={<Play aria-hidden />} onPress={() => setSearch({ test: 1 })}>
                Try it
              </Button>
            )}
            {tool && <ToolMenu tool={tool} use={use} />}
            {tool && form.isChanged && <Button onPress={form.discard}>Discard</Button>}
            <Button
              look="primary"
              isBusy={form.isSaving}
              isDisabled={tool !== undefined && !form.isChanged}
              onPress={() => void form.save()}
            >
              {tool ? 'Save' : 'Add'}
            </Button>
          </>
        )
      }
    >
      <LeaveGuard
        isDirty={form.isChanged}
        isKeptAt={isKeptAt}
        changes={form.draft.name ? `changes of ${form.draft.name}` : 'the new tool'}
      />
      <div className="flex h-full min-h-0">
        <div className="relative min-w-0 flex-1 overflow-y-auto">
          <ToolFields entry={entry} tool={tool} use={use} form={form} isReadOnly={isReadOnly} />
        </div>
        {isTesting && (
          <SidePanel title="Try it" onClose={() => setSearch({ test: undefined })}>
            <TestPanel entry={entry} tool={tool} form={form} />
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

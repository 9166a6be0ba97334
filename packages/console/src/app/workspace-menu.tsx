import { useQuery } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { Button } from 'react-aria-components';
import { sessionQuery } from '../api/session.ts';
import { Menu } from '../kit/menu.tsx';
import { useWorkspace } from './workspace.tsx';

/** Shows the workspace, and leads to the person's other ones. */
export function WorkspaceMenu() {
  const { id, name, role } = useWorkspace();
  const { data } = useQuery(sessionQuery);
  const others = (data?.workspaces ?? []).filter((workspace) => workspace.id !== id);
  return (
    <div className="flex h-12 shrink-0 items-center border-line border-b px-2">
      <Menu
        label="Workspaces"
        placement="bottom start"
        entries={[
          ...others.map((workspace) => ({
            id: workspace.id,
            label: workspace.name,
            href: `/w/${workspace.id}`,
          })),
          {
            label: 'Workspace settings',
            href: `/w/${id}/settings/workspace`,
            isFirstOfGroup: others.length > 0,
          },
        ]}
      >
        <Button
          aria-label={`Workspace ${name}`}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left data-hovered:bg-hover"
        >
          <span
            aria-hidden
            // As text it would have to be a part of the button's name.
            data-initial={Array.from(name)[0]?.toUpperCase()}
            className="flex size-6 shrink-0 items-center justify-center rounded-sm bg-accent font-semibold text-on-accent text-xs before:content-[attr(data-initial)]"
          />
          <span title={name} className="min-w-0 flex-1 truncate font-semibold max-xl:sr-only">
            {name}
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-ink-3 max-xl:hidden" />
        </Button>
      </Menu>
      {role === 'viewer' && (
        <span className="shrink-0 rounded-sm bg-hover px-1.5 text-ink-2 text-xs max-xl:hidden">
          View only
        </span>
      )}
    </div>
  );
}

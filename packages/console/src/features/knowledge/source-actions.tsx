import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { Ellipsis, RefreshCw, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { Menu } from '../../kit/menu.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { ReplaceFile } from './replace-file.tsx';
import { useSourceActions } from './use-source-actions.ts';

interface SourceActionsProps {
  source: KnowledgeSource;
  /** Called when the source no longer exists. */
  onGone?: () => void;
}

/** What can be done with a source, in its row or on its page. */
export function SourceActions({ source, onGone }: SourceActionsProps) {
  const { can } = useWorkspace();
  const [isConfirming, setConfirming] = useState(false);
  const { refresh, remove, restore, removeForGood, error } = useSourceActions(source, onGone);
  if (!can('operator')) return null;
  const {
    title,
    status,
    processing_status: processing,
    content_type: type,
    passage_count: passages,
  } = source;
  const isFailed = processing === 'failed';
  return (
    <span className="flex items-center justify-end gap-1">
      {error !== undefined && (
        <span role="alert" className="text-danger-ink text-sm">
          {messageOf(error)}
        </span>
      )}
      {status === 'inactive' ? (
        <Button size="small" icon={<Undo2 aria-hidden />} onPress={() => void restore()}>
          Restore
        </Button>
      ) : (
        <>
          {isFailed && type === 'uploaded_file' && <ReplaceFile source={source} />}
          {isFailed && type !== 'uploaded_file' && (
            <Button size="small" onPress={() => void refresh()}>
              Try again
            </Button>
          )}
        </>
      )}
      {(status === 'active' || can('owner')) && (
        <Menu
          label={`Actions for ${title}`}
          entries={[
            status === 'active' && {
              label: type === 'url' ? 'Read the page again' : 'Read it again',
              icon: <RefreshCw aria-hidden />,
              onAction: () => void refresh(),
            },
            status === 'active' && {
              label: 'Delete',
              description: 'It can be restored.',
              icon: <Trash2 aria-hidden />,
              isDangerous: true,
              onAction: () => void remove(),
            },
            status === 'inactive' && {
              label: 'Delete for good…',
              icon: <Trash2 aria-hidden />,
              isDangerous: true,
              onAction: () => setConfirming(true),
            },
          ]}
        >
          <IconButton label={`Actions for ${title}`} icon={<Ellipsis aria-hidden />} />
        </Menu>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${title} for good?`}
          action="Delete"
          onClose={() => setConfirming(false)}
          onConfirm={removeForGood}
        >
          Its text and {plural(passages, 'passage')} are lost. Answers that cite it keep their quotes.
        </ConfirmDialog>
      )}
    </span>
  );
}

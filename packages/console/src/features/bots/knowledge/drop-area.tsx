import { FileUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type DropItem, DropZone, FileTrigger, isFileDropItem } from 'react-aria-components';
import { Button } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { fileExtensions } from '../../knowledge/refusal-of.ts';

interface DropAreaProps {
  /** Other ways to add something, beside the button that chooses files. */
  others?: ReactNode;
  isLarge?: boolean;
  isBusy: boolean;
  onFiles: (files: File[]) => void;
}

/** Takes files that are dropped on it, pasted or chosen. */
export function DropArea({ others, isLarge = false, isBusy, onFiles }: DropAreaProps) {
  const [isOver, setOver] = useState(false);

  async function take(items: readonly DropItem[]): Promise<void> {
    const files = await Promise.all(items.filter(isFileDropItem).map((item) => item.getFile()));
    if (files.length > 0) onFiles(files);
  }

  return (
    <DropZone
      aria-label="Drop files here"
      onDropEnter={() => setOver(true)}
      onDropExit={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        void take(event.items);
      }}
      className={classes(
        'flex flex-col items-center justify-center gap-3 rounded-lg border border-line-strong border-dashed px-4 text-center',
        isLarge ? 'min-h-64 py-10' : 'py-5',
        isOver ? 'bg-selected' : 'bg-surface',
      )}
    >
      <FileUp aria-hidden className="size-6 text-ink-3" />
      <p className={isLarge ? 'text-lg' : ''}>Drop files here</p>
      <div className="flex flex-wrap justify-center gap-2">
        <FileTrigger
          acceptedFileTypes={fileExtensions}
          allowsMultiple
          onSelect={(list) => list && list.length > 0 && onFiles([...list])}
        >
          <Button look={isLarge ? 'primary' : 'secondary'} isBusy={isBusy}>
            Choose files
          </Button>
        </FileTrigger>
        {others}
      </div>
      <p className="text-ink-3 text-sm">PDF, Word, Markdown, HTML or text, up to 5 MB each</p>
    </DropZone>
  );
}

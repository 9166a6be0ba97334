import { FileText, Globe, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { BotSelect } from '../../app/bot-select.tsx';
import { Button } from '../../kit/buttons.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { acceptedFiles } from './refusal-of.ts';

interface AddBarProps {
  botId: string | undefined;
  onBot: (botId: string | undefined) => void;
  onFiles: (files: File[]) => void;
}

/** All ways to add knowledge. */
export function AddBar({ botId, onBot, onFiles }: AddBarProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [adding, setAdding] = useState<'url' | 'text'>();
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-surface px-4 py-3 md:px-6">
      <Upload aria-hidden className="size-4 text-ink-3 max-md:hidden" />
      <p className="mr-1 text-ink-2 max-md:hidden">Drop files anywhere on this page, or</p>
      <Button look="primary" onPress={() => chooser.current?.click()}>
        Choose files
      </Button>
      <Button icon={<Globe aria-hidden />} onPress={() => setAdding('url')}>
        Web page
      </Button>
      <Button icon={<FileText aria-hidden />} onPress={() => setAdding('text')}>
        Text
      </Button>
      <BotSelect label="New sources are for" isInline value={botId} onChange={onBot} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={acceptedFiles}
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {adding && <AddSourceDialog type={adding} initialBotId={botId} onClose={() => setAdding(undefined)} />}
    </div>
  );
}

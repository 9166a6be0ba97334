import type { Attachment } from '@svc/contract/attachments';
import { Download, FileText, Image } from 'lucide-react';
import { useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { attachmentUrl } from '../../api/conversations.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { download } from '../../format/csv.ts';
import { bytes } from '../../format/numbers.ts';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Dialog } from '../../kit/dialogs.tsx';
import { NameText } from '../../kit/labels.tsx';

interface AttachmentListProps {
  attachments: readonly Attachment[];
  isRight: boolean;
}

/** The files of a message: a press shows an image large, and downloads any other file. */
export function AttachmentList({ attachments, isRight }: AttachmentListProps) {
  return (
    <ul aria-label="Files" className={classes('flex max-w-full flex-wrap gap-2', isRight && 'justify-end')}>
      {attachments.map((attachment) => (
        <li key={attachment.id} className="min-w-0">
          <AttachedFile attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

function AttachedFile({ attachment }: { attachment: Attachment }) {
  const { api } = useWorkspace();
  const address = attachmentUrl(api, attachment.id);
  const [isPicture, setPicture] = useState(attachment.media_type.startsWith('image/'));
  // A picture that the browser cannot show is a file like others.
  return isPicture ? (
    <Picture attachment={attachment} address={address} onError={() => setPicture(false)} />
  ) : (
    <FileLink attachment={attachment} address={address} />
  );
}

interface FileProps {
  attachment: Attachment;
  address: string;
}

function Picture({ attachment: { name, size }, address, onError }: FileProps & { onError: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <AriaButton
        aria-label={`Show ${name}`}
        onPress={() => setOpen(true)}
        className="flex min-h-11 min-w-11 max-w-72 items-center justify-center overflow-hidden rounded-md border border-line bg-hover data-hovered:border-line-strong"
      >
        <img
          src={address}
          alt=""
          title={name}
          loading="lazy"
          onError={onError}
          className="max-h-48 max-w-full"
        />
      </AriaButton>
      <Dialog
        title={name}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        size="large"
        actions={
          <Button icon={<Download aria-hidden />} onPress={() => download(address)}>
            Download ({bytes(size)})
          </Button>
        }
      >
        <img src={address} alt={name} className="mx-auto max-h-[70dvh] max-w-full" />
      </Dialog>
    </>
  );
}

function FileLink({ attachment: { name, media_type: type, size }, address }: FileProps) {
  const Icon = type.startsWith('image/') ? Image : FileText;
  return (
    <a
      href={address}
      download={name}
      className="flex max-w-72 items-center gap-1.5 rounded-md border border-line px-2 py-1 text-ink-2 text-xs hover:bg-hover pointer-coarse:min-h-11"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="truncate">
        <NameText text={name} />
      </span>
      <span className="shrink-0 text-ink-3">{bytes(size)}</span>
    </a>
  );
}

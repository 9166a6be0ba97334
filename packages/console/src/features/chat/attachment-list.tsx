import type { Attachment } from '@svc/contract/attachments';
import { FileText, Image } from 'lucide-react';
import { useState } from 'react';
import { attachmentUrl } from '../../api/conversations.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { bytes } from '../../format/numbers.ts';
import { classes } from '../../kit/classes.ts';
import { NameText } from '../../kit/labels.tsx';

interface AttachmentListProps {
  attachments: readonly Attachment[];
  isRight: boolean;
}

/** The files of a message: images are shown small, and a press downloads any of them. */
export function AttachmentList({ attachments, isRight }: AttachmentListProps) {
  return (
    <ul aria-label="Files" className={classes('flex max-w-full flex-wrap gap-2', isRight && 'justify-end')}>
      {attachments.map((attachment) => (
        <li key={attachment.id} className="min-w-0">
          <AttachmentLink attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentLink({ attachment: { id, name, media_type: type, size } }: { attachment: Attachment }) {
  const { api } = useWorkspace();
  const isImage = type.startsWith('image/');
  const [isShown, setShown] = useState(isImage);
  const Icon = isImage ? Image : FileText;
  const address = attachmentUrl(api, id);
  return (
    <a
      href={address}
      download={name}
      className="flex max-w-72 flex-col overflow-hidden rounded-md border border-line text-ink-2 text-xs hover:bg-hover"
    >
      {isShown && (
        <img
          src={address}
          alt=""
          loading="lazy"
          onError={() => setShown(false)}
          className="max-h-48 min-h-16 w-full bg-hover object-contain"
        />
      )}
      <span className="flex items-center gap-1.5 px-2 py-1 pointer-coarse:min-h-11">
        <Icon aria-hidden className="size-4 shrink-0" />
        <span className="truncate">
          <NameText text={name} />
        </span>
        <span className="shrink-0 text-ink-3">{bytes(size)}</span>
      </span>
    </a>
  );
}

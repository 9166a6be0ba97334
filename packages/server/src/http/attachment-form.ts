import { AttachmentUpload, maxAttachmentBytes } from '@svc/contract/attachments';
import { Type } from 'typebox';
import { type FormFile, formType } from './form.ts';

/** A form with one file, for a message. */
export const attachmentForm = Type.Unsafe<{ files: [FormFile] }>({
  content: { [formType]: { schema: AttachmentUpload } },
});

export const attachmentFormLimits = {
  isOnly: true,
  files: 1,
  fileBytes: maxAttachmentBytes,
  totalBytes: 2 * maxAttachmentBytes,
};

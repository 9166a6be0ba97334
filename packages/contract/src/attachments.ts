import { type Static, Type } from 'typebox';
import { OneOf, Strict, Uuid } from './common.ts';

/** In one message. */
export const maxAttachments = 5;
export const maxAttachmentBytes = 5_242_880;
/** Decided by the first bytes of a file, whatever its name. */
export const attachmentTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
] as const;

const description =
  'An image (PNG, JPEG, GIF, WebP) or a PDF. Models that see images are shown them; of documents, every model gets the text.';

export const Attachment = Type.Object(
  {
    id: Uuid,
    name: Type.String({ description: 'As its sender has named the file.' }),
    media_type: OneOf([...attachmentTypes]),
    size: Type.Integer({ description: 'In bytes.' }),
  },
  {
    $id: 'Attachment',
    description,
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e97',
        name: 'mug.jpg',
        media_type: 'image/jpeg',
        size: 184_213,
      },
    ],
  },
);
export type Attachment = Static<typeof Attachment>;

export const AttachmentUpload = Strict({
  files: Type.Array(Type.Unsafe<unknown>({ type: 'string', format: 'binary' }), {
    minItems: 1,
    maxItems: 1,
    description: `${description} At most ${maxAttachmentBytes} bytes. Any name of the part will do.`,
  }),
});

/** In a message that is sent. */
export const AttachmentIds = Type.Optional(
  Type.Array(Uuid, {
    minItems: 1,
    maxItems: maxAttachments,
    uniqueItems: true,
    description: 'Files that were uploaded for this message, each of which can be sent once.',
  }),
);

/** In a message that is read. */
export const Attachments = Type.Optional(
  Type.Array(Attachment, {
    description: 'The files that the user sent with it. Left out if there are none.',
  }),
);

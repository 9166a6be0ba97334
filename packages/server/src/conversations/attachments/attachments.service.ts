import { type Attachment, attachmentTypes, maxAttachmentBytes } from '@svc/contract/attachments';
import type { Transaction } from '../../database/database.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { pictureType } from '../../lib/picture-type.ts';
import type { Services } from '../../services.ts';
import { storable } from '../../validation/storable.ts';
import type { WantedConversation } from '../conversations.service.ts';
import { type AttachmentRow, attachmentStore } from './attachments.store.ts';

/** Of its name, nothing but the label is used. */
export interface UploadedFile {
  filename: string;
  size: number;
  isTooLarge: boolean;
  bytes(): Buffer;
}

export type AttachmentService = ReturnType<typeof createAttachments>;

/** Of a document. A longer one belongs into the knowledge, where passages of it are found. */
const maxTextCharacters = 40_000;
/** An upload waits so long for the text of a document. */
const readMilliseconds = 30_000;
/** Uploads that are not sent: of one end user, and of all of them. Keys have as much for themselves, so that strangers do not use it up. */
const maxUnsentOfUser = 20;
const maxUnsentBytes = 1024 ** 3;
const unsentHours = { ofEndUsers: 1, ofKeys: 24 };
const pieceBytes = 256 * 1024;

/** Whose message it is; null for an account key, which may send what other keys have uploaded for any user. */
export interface AttachmentSender {
  externalUserId: string;
  isEndUser: boolean;
}

/** Files that users send with their messages. They belong to the conversation, and end with the last message that they were sent with. */
export function createAttachments({
  clock,
  conversations,
  database,
  files,
  log,
  readDocument,
}: Pick<Services, 'clock' | 'conversations' | 'database' | 'files' | 'log' | 'readDocument'>) {
  async function readBytes(row: AttachmentRow, signal: AbortSignal): Promise<Buffer | undefined> {
    if (row.fileKey !== null) return files.read(row.fileKey, signal);
    const { workspaceId, id } = row;
    return (await attachmentStore.readBytes(database.within(workspaceId), workspaceId, id)) ?? undefined;
  }

  /** Null for an image, and for a document without a text, or one that cannot be read. */
  async function textOf(workspaceId: string, file: UploadedFile, mediaType: string): Promise<string | null> {
    if (mediaType !== 'application/pdf') return null;
    // Whatever it is called, it is read as what it is. Uploads and sources of knowledge take turns.
    const document = { bytes: file.bytes(), filename: 'document.pdf', workspaceId: `${workspaceId} uploads` };
    const limit = AbortSignal.timeout(readMilliseconds);
    try {
      const { markdown } = await readDocument(document, limit);
      return storable(markdown).trim().slice(0, maxTextCharacters).toWellFormed() || null;
    } catch (error) {
      if (limit.aborted || isPassing(error))
        throw new AppError('NOT_READY', {
          message: 'The document cannot be read at the moment: too many are being read.',
          cause: error,
        });
      log.info({ err: error, workspace_id: workspaceId }, 'An attachment is kept without its text.');
      return null;
    }
  }

  async function requireRoom(workspaceId: string, externalUserId: string | null): Promise<void> {
    const own = database.within(workspaceId);
    const { ofUser, bytes } = await attachmentStore.countUnsent(own, workspaceId, externalUserId);
    if (ofUser < maxUnsentOfUser && bytes < maxUnsentBytes) return;
    throw new AppError('RATE_LIMITED', {
      message: 'Too many files were uploaded and not sent. Send them, or wait until they are deleted.',
      details: [{ limit: 'unsent_attachments', value: maxUnsentOfUser }],
      retryAfterSeconds: 3_600,
    });
  }

  return {
    /** Keeps a file for a message that is to be sent with it. */
    async upload(
      workspaceId: string,
      externalUserId: string | null,
      file: UploadedFile,
    ): Promise<Attachment> {
      const mediaType = typeOf(file);
      await requireRoom(workspaceId, externalUserId);
      const text = await textOf(workspaceId, file, mediaType);
      const name = nameOf(file, mediaType);
      const row = { id: newId(), externalUserId, name, mediaType, size: file.size, text };
      const insert = (fileKey: string | null) =>
        database.within(workspaceId).transaction(async (tx) => {
          const bytes = fileKey === null ? file.bytes() : null;
          await attachmentStore.insert(tx, workspaceId, { ...row, fileKey }, bytes);
          if (fileKey !== null) await files.keep(tx, workspaceId, fileKey);
        });
      if (files.hasBucket) await files.store(workspaceId, [file.bytes()], ([key = null]) => insert(key));
      else await insert(null);
      return toWire(row);
    },

    /** The files of a message that is to be sent. Throws NOT_FOUND unless all of them wait for a message of this sender. */
    async offered(
      workspaceId: string,
      ids: readonly string[],
      sender: AttachmentSender,
    ): Promise<Attachment[]> {
      const rows = await attachmentStore.list(database.within(workspaceId), workspaceId, ids);
      return ids.map((given) => {
        const row = rows.find(({ id }) => id === given.toLowerCase());
        if (!row || row.conversationId !== null || !maySend(row, sender)) throw gone();
        return toWire(row);
      });
    },

    /** In the transaction that has written the message of the turn. */
    async send(
      tx: Transaction,
      {
        workspaceId,
        conversationId,
        turnId,
      }: { workspaceId: string; conversationId: string; turnId: string },
      sent: Attachment[],
    ): Promise<void> {
      const ids = sent.map(({ id }) => id);
      // Another message was faster.
      if ((await attachmentStore.keep(tx, workspaceId, conversationId, ids)) < ids.length) throw gone();
      await attachmentStore.note(tx, workspaceId, turnId, sent);
    },

    /** The texts of documents by their ids; documents without a text are left out. */
    async textsOf(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await attachmentStore.list(database.within(workspaceId), workspaceId, ids);
      return new Map(rows.flatMap(({ id, text }) => (text === null ? [] : [[id, text]])));
    },

    /** The bytes of files by their ids; what is gone or cannot be read now is left out. */
    async bytesOf(
      workspaceId: string,
      ids: readonly string[],
      signal: AbortSignal,
    ): Promise<Map<string, Buffer>> {
      const found = new Map<string, Buffer>();
      if (ids.length === 0) return found;
      const rows = await attachmentStore.list(database.within(workspaceId), workspaceId, ids);
      const read = async (row: AttachmentRow) => {
        try {
          const bytes = await readBytes(row, signal);
          if (bytes) found.set(row.id, bytes);
        } catch (error) {
          signal.throwIfAborted();
          log.warn(
            { err: error, workspace_id: workspaceId, attachment_id: row.id },
            'A file cannot be read.',
          );
        }
      };
      await Promise.all(rows.map(read));
      return found;
    },

    /** A file as it was uploaded. Throws NOT_FOUND unless it is part of a conversation that the reader may see, or waits for their own message. */
    async open(
      workspaceId: string,
      id: string,
      endUser?: { own: (conversationId: string) => WantedConversation; externalUserId: string },
    ): Promise<{ attachment: Attachment; chunks: AsyncGenerator<Buffer> }> {
      const [row] = await attachmentStore.list(database.within(workspaceId), workspaceId, [id]);
      if (!row) throw notFound();
      if (endUser && row.conversationId !== null)
        await conversations.getWanted(workspaceId, endUser.own(row.conversationId));
      if (endUser && row.conversationId === null && row.externalUserId !== endUser.externalUserId)
        throw notFound();
      const bytes = await readBytes(row, AbortSignal.timeout(readMilliseconds));
      if (!bytes) throw notFound();
      return { attachment: toWire(row), chunks: inPieces(bytes) };
    },

    /** What a person has uploaded and not sent. */
    async forget(workspaceId: string, externalUserId: string): Promise<void> {
      await attachmentStore.deleteUnsentOf(database.within(workspaceId), workspaceId, externalUserId);
    },

    async sweep(): Promise<void> {
      const before = (hours: number) => new Date(clock.now().getTime() - hours * 3_600_000);
      await attachmentStore.deleteOldUnsentAcrossWorkspaces(database.acrossWorkspaces, {
        ofEndUsers: before(unsentHours.ofEndUsers),
        ofKeys: before(unsentHours.ofKeys),
      });
    },
  };
}

function typeOf(file: UploadedFile): Attachment['media_type'] {
  if (file.isTooLarge) throw invalid('files', `must be at most ${maxAttachmentBytes} bytes each`);
  if (file.size === 0) throw invalid('files', 'must not be empty');
  const bytes = file.bytes();
  const found = bytes.toString('latin1', 0, 5) === '%PDF-' ? 'application/pdf' : pictureType(bytes);
  const type = attachmentTypes.find((known) => known === found);
  if (!type) throw invalid('files', 'must be an image (PNG, JPEG, GIF or WebP) or a PDF');
  return type;
}

const endings: Record<Attachment['media_type'], readonly string[]> = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
};

/** Its sender chose it, so it has no characters that cannot be seen, and the ending of what the file is. */
function nameOf({ filename }: UploadedFile, mediaType: Attachment['media_type']): string {
  const plain = filename.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() || 'file';
  const isEnding = (ending: string) => plain.toLowerCase().endsWith(ending);
  return endings[mediaType].some(isEnding) ? plain : `${plain}${endings[mediaType][0]}`;
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'passing' in error && error.passing === true;
}

function maySend(row: AttachmentRow, { externalUserId, isEndUser }: AttachmentSender): boolean {
  return row.externalUserId === externalUserId || (row.externalUserId === null && !isEndUser);
}

function gone(): AppError {
  const message = 'names a file that does not exist or was already sent';
  return new AppError('NOT_FOUND', {
    message: `attachments ${message}.`,
    details: [{ path: 'attachments', message }],
  });
}

function toWire({ id, name, mediaType, size }: Pick<AttachmentRow, 'id' | 'name' | 'mediaType' | 'size'>) {
  return { id, name, media_type: mediaType, size };
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

import type { Attachment } from '@svc/contract/attachments';
import { fitTexts } from '../../models/fit-texts.ts';
import { ModelImage, maxShownImages } from '../../models/model-image.ts';
import type { TurnLease } from '../run/lease.ts';
import type { PlacedMessage, TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { historyBudget } from './context/split-history.ts';

/** Of what a conversation may take in a request, for the texts of documents: later questions are about them too. */
const shareOfDocuments = 0.6;
/** What the strictest provider takes: 5 MB as base64, and with room for everything else, 32 MB for all of a request. */
const maxImageBytes = 3_750_000;
const maxImagesBytes = 12_000_000;
/** The latest documents of a conversation that are read. */
const maxDocuments = 10;

/** The files of users' messages as the model gets them: texts of documents, and the latest images if it sees any. Read once per lease. */
export async function withAttachments(
  { workspaceId }: TurnLease,
  state: TurnState,
  { attachments, models }: Pick<TurnDependencies, 'attachments' | 'models'>,
  signal: AbortSignal,
): Promise<TurnState> {
  const isKnown = ({ attachments: files, attached }: PlacedMessage) => !files || attached !== undefined;
  if (state.messages.every(isKnown)) return state;
  const model = models.ofBot(state.bot.settings);
  const files = state.messages.flatMap((message) => message.attachments ?? []);
  const wanted = files.filter(isDocument).slice(-maxDocuments).map(idOf);
  const texts = [...(await attachments.textsOf(workspaceId, wanted))];
  const fitting = fitTexts(
    texts.map(([, text]) => text),
    historyBudget(model) * shareOfDocuments,
  );
  const documents = new Map(texts.map(([id], index) => [id, fitting[index] ?? '']));
  const shown = model.capabilities.images ? latestThatFit(files.filter(isImage)).map(idOf) : [];
  const bytes = await attachments.bytesOf(workspaceId, shown, signal);
  const messages = state.messages.map((message): PlacedMessage => {
    if (!message.attachments) return message;
    const images = message.attachments.flatMap(({ id, media_type: type }) => {
      const content = bytes.get(id);
      return content ? [new ModelImage(type, content.toString('base64'))] : [];
    });
    const notes = message.attachments.map((file) => noteOf(file, documents.get(file.id), bytes.has(file.id)));
    return { ...message, attached: notes.join('\n\n'), ...(images.length > 0 && { images }) };
  });
  return { ...state, messages };
}

/** The latest images that providers take together; each is a third longer when it is sent. */
function latestThatFit(images: readonly Attachment[]): Attachment[] {
  let left = maxImagesBytes;
  return images
    .filter(({ size }) => size <= maxImageBytes)
    .slice(-maxShownImages)
    .toReversed()
    .filter(({ size }) => (left -= size) >= 0);
}

function noteOf(file: Attachment, text: string | undefined, isShown: boolean): string {
  const name = JSON.stringify(file.name);
  if (isImage(file))
    return isShown ? `[Attached image ${name}]` : `[Attached image ${name}, which is not shown to you]`;
  if (text === undefined) return `[Attached document ${name}, of which you have no text]`;
  return `[Attached document ${name}:]\n${text}\n[End of the document]`;
}

function isDocument({ media_type: type }: Attachment): boolean {
  return type === 'application/pdf';
}

function isImage(file: Attachment): boolean {
  return !isDocument(file);
}

function idOf({ id }: Attachment): string {
  return id;
}

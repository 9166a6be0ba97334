import { newId } from '../../lib/new-id.ts';
import type { OrderedWrites } from './ordered-writes.ts';
import type { CutUtterance } from './speaking.ts';
import type { TalkPorts } from './talk-ports.ts';

/** The part of the transcript that turns do not write: what was said outside of them, and what of their replies was not heard. */
export interface TalkTranscript {
  /** The caller said something that is not answered. */
  noteWords(text: string): void;
  /** The bot is going to say something that is not part of a turn; returns its id. */
  addPhrase(text: string): string;
  /** The bot is going to say a piece of a reply. */
  addPiece(messageId: string, turnId: string, text: string): void;
  /** A text begins to be heard. Returns the turn that it belongs to. */
  began(utteranceId: string): string | undefined;
  /** Everything so far was heard. */
  allHeard(): void;
  /** No more than this was heard. `stop` is called for a reply before it is cut. */
  cut(cut: CutUtterance, stop: (turnId: string) => boolean): void;
  /** A reply that is not going on was stored: the end of its text may never have been said. */
  brokeOff(messageId: string, content: string): void;
  /** A reply will not be stored: what the caller hears of it is noted. */
  retract(messageId: string): void;
  /** A turn is over, and everything of it was heard or cut. */
  forget(turnId: string): void;
}

interface Phrase {
  kind: 'phrase';
  text: string;
  isNoted: boolean;
}

interface Reply {
  kind: 'reply';
  turnId: string;
  /** As far as it was to be said. */
  text: string;
  /** How much of that was heard before the last silence. */
  heardLength: number;
  isCut: boolean;
  /** What was noted in the place of a reply that was not stored. */
  noteId?: string;
}

export function createTalkTranscript(
  ports: Pick<TalkPorts, 'note' | 'cut'>,
  writes: Pick<OrderedWrites, 'add'>,
): TalkTranscript {
  const utterances = new Map<string, Phrase | Reply>();

  function cutReply(id: string, reply: Reply, { heard, isWhole }: CutUtterance, isStopped: boolean): void {
    const all = (reply.text.slice(0, reply.heardLength) + heard).trimEnd();
    // A turn that was stopped has stored more than was said.
    reply.isCut = !isWhole || isStopped;
    if (reply.isCut) writes.add(() => ports.cut(reply.noteId ?? id, all));
    reply.text = all;
  }

  return {
    noteWords(text) {
      writes.add(() => ports.note({ id: newId(), role: 'user', text }));
    },
    addPhrase(text) {
      const id = newId();
      utterances.set(id, { kind: 'phrase', text, isNoted: false });
      return id;
    },
    addPiece(messageId, turnId, text) {
      const known = utterances.get(messageId);
      if (known?.kind === 'reply') known.text += text;
      else utterances.set(messageId, { kind: 'reply', turnId, text, heardLength: 0, isCut: false });
    },
    began(utteranceId) {
      const begun = utterances.get(utteranceId);
      if (begun?.kind === 'reply') return begun.turnId;
      if (begun && !begun.isNoted) {
        begun.isNoted = true;
        writes.add(() => ports.note({ id: utteranceId, role: 'assistant', text: begun.text }));
      }
      return undefined;
    },
    allHeard() {
      for (const [id, utterance] of utterances) {
        if (utterance.kind === 'phrase') utterances.delete(id);
        else utterance.heardLength = utterance.text.length;
      }
    },
    cut(cut, stop) {
      const { utteranceId, heard, isWhole } = cut;
      const utterance = utterances.get(utteranceId);
      if (utterance?.kind === 'reply') {
        return cutReply(utteranceId, utterance, cut, stop(utterance.turnId));
      }
      utterances.delete(utteranceId);
      if (utterance?.isNoted && !isWhole) writes.add(() => ports.cut(utteranceId, heard));
    },
    brokeOff(messageId, content) {
      const reply = utterances.get(messageId);
      const said = reply?.kind === 'reply' ? reply : undefined;
      const text = said?.text.trimEnd() ?? '';
      if (!said?.isCut && text !== content.trimEnd()) writes.add(() => ports.cut(messageId, text));
    },
    retract(messageId) {
      const reply = utterances.get(messageId);
      if (reply?.kind !== 'reply' || reply.noteId !== undefined) return;
      const id = newId();
      const text = reply.text.trimEnd();
      reply.noteId = id;
      if (text !== '') writes.add(() => ports.note({ id, role: 'assistant', text }));
    },
    forget(turnId) {
      for (const [id, utterance] of utterances) {
        if (utterance.kind === 'reply' && utterance.turnId === turnId) utterances.delete(id);
      }
    },
  };
}

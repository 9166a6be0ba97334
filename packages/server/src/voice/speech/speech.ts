import type { AudioFormat } from '../audio/format.ts';

/** A service or program that turns speech into text. */
export interface SpeechToText {
  /** As in the configuration: `deepgram`, `elevenlabs` or `local`. */
  readonly provider: string;
  /** The languages that it understands, as tags such as `en`; left out if it understands most. */
  readonly languages?: readonly string[];
  /** How far it is behind what callers say on this node, at worst; left out if that does not depend on this node. */
  readonly lagMs?: number;
  /** Begins to listen. The stream connects in the background and keeps what is pushed until it is connected. */
  open(options: ListeningOptions, events: TranscriptEvents): TranscriptStream;
}

export interface ListeningOptions {
  format: AudioFormat;
  /** A language tag such as `en`; left out: the provider recognises it, if it can. */
  language?: string;
}

/** What is heard, in order. Nothing is called after `close` or `onFailure`. */
export interface TranscriptEvents {
  /** What it understands so far of what comes after the last final text; replaces the previous one. */
  onPartial(text: string): void;
  /** A piece of the transcript that does not change any more; never empty. */
  onFinal(text: string): void;
  /** The provider considers what the caller says complete. Providers that do not report this never call it. */
  onEndOfSpeech(): void;
  /** The stream has ended and nothing more is heard; called at most once. */
  onFailure(error: Error): void;
}

export interface TranscriptStream {
  /** Audio in the line's format, in order, silence included, of any length. */
  push(audio: Buffer): void;
  /** Asks for the final text of everything pushed so far, now. Does nothing if nothing is outstanding. */
  finish(): void;
  /** Whether there is speech whose final text is not known because the recogniser is late: slow, or not connected. */
  readonly isLate: boolean;
  /** Ends the stream. Repeated calls do nothing. */
  close(): void;
}

/** A service or program that speaks. */
export interface TextToSpeech {
  /** As in the configuration and in `tts_provider`: `elevenlabs`, `cartesia` or `local`. */
  readonly provider: string;
  /** The languages that its voices speak, as tags such as `en`; left out if they speak most. */
  readonly languages?: readonly string[];
  /** Every voice that can be used, for the catalog. */
  listVoices(signal: AbortSignal): Promise<Voice[]>;
  /** A speaker for one call; left out, the provider's default voice. Connects early, so that its first words are quick. */
  open(options: SpeakingOptions): Speaker;
}

export interface Voice {
  /** Without the provider. */
  id: string;
  name: string;
  language: string | null;
  gender: string | null;
}

export interface SpeakingOptions {
  format: AudioFormat;
  /** The voice's id without the provider. */
  voice?: string;
  /** What is mostly spoken, as a tag such as `de`: it chooses the voice where none is named. */
  language?: string | undefined;
}

/** One voice during one call. */
export interface Speaker {
  /**
   * Speaks a sentence, plain text without markup. Its audio is passed on in order while it is being made, in the line's format;
   * resolves when all of it was. Several may be requested at the same time: each has its own audio. Aborting rejects with the
   * signal's reason, and a failure of the provider rejects with a SpeechFailed.
   */
  say(text: string, onAudio: (audio: Buffer) => void, signal: AbortSignal): Promise<void>;
  /** Ends its connections. Repeated calls do nothing. */
  close(): void;
}

/** A speech provider failed, refused or took too long. The message has no secrets and is for the operator. */
export class SpeechFailed extends Error {
  override readonly name = 'SpeechFailed';
}

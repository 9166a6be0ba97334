import { asObject, type JsonObject } from '../shared/read-json.ts';
import type { Heard } from '../shared/recognition-stream.ts';
import type { ProviderName } from '../shared/refusal.ts';
import { SpeechFailed } from '../speech.ts';

/** Says what the messages of one stream mean. A turn that was reported as over is not reported again by UtteranceEnd. */
export function createDeepgramReader({ label }: ProviderName): (message: JsonObject) => Heard[] {
  let hasWords = false;
  return (message) => {
    if (message['type'] === 'Error') {
      const failure = new SpeechFailed(`${label} reported an error.`);
      return [{ kind: 'error', failure, isPassing: true }];
    }
    if (message['type'] === 'UtteranceEnd') return endOfTurn();
    if (message['type'] !== 'Results') return [];
    const text = transcriptOf(message);
    if (text === undefined) {
      const failure = new SpeechFailed(`${label} sent a transcript that cannot be read.`);
      return [{ kind: 'error', failure, isPassing: true }];
    }
    if (message['is_final'] !== true) return text ? [{ kind: 'partial', text }] : [];
    if (text) hasWords = true;
    const isTurn = message['speech_final'] === true && message['from_finalize'] !== true;
    return [{ kind: 'final', text }, ...(isTurn ? endOfTurn() : [])];
  };

  function endOfTurn(): Heard[] {
    if (!hasWords) return [];
    hasWords = false;
    return [{ kind: 'end_of_turn' }];
  }
}

function transcriptOf(message: JsonObject): string | undefined {
  const alternatives = asObject(message['channel'])?.['alternatives'];
  const first = Array.isArray(alternatives) ? asObject(alternatives[0]) : undefined;
  const transcript = first?.['transcript'];
  return typeof transcript === 'string' ? transcript : undefined;
}

import type { CallPatience } from '@svc/contract/bots';

/** How long to wait after the last words before the caller has finished, if nothing more is said. */
export function waitAfter(text: string, patience: CallPatience = 'normal'): number {
  const { complete, open } = waits[patience];
  return readsAsComplete(text) ? complete : open;
}

/** In milliseconds, after what could be a whole sentence and after what could not. */
const waits: Record<CallPatience, { complete: number; open: number }> = {
  quick: { complete: 200, open: 450 },
  normal: { complete: 300, open: 700 },
  patient: { complete: 800, open: 1_600 },
};

/** The caller has finished this long after the speech has ended, even if its final text is missing. */
export const longestWaitMs = 3_000;

const openEnding =
  /(?:^|[\s,])(?:and|or|but|so|because|if|when|that|the|a|an|my|your|to|of|for|with|in|on|at|is|are|was|i|it's|um|uh|er|und|oder|aber|weil|wenn|dass|der|die|das|ein|eine|mein|zu|von|mit|ist|ich|äh|ähm|et|ou|mais|parce que|que|le|la|un|une|de|y|o|pero|porque|el|los)[\s,]*$/iu;

/** Whether a sentence could end here. */
export function readsAsComplete(text: string): boolean {
  const said = text.trim();
  if (/[.!?。！？]["'”’)]*$/.test(said)) return !/(?:\.\.\.|…)$/.test(said);
  if (/[,;:–-]$/.test(said)) return false;
  return !openEnding.test(said) && said.split(/\s+/).length >= 2;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Counts words, even in languages that are written without spaces. */
export function countWords(text: string): number {
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
}

const listening = new Set(
  'mhm mm mmm mmhmm mm-hmm mm-hm hm hmm uh huh uh-huh uhuh aha ah oh okay ok yeah yep yup right alright sure genau ja ach so oui mhmm sí si claro vale'.split(
    ' ',
  ),
);
const listeningPhrases = ['i see', 'got it', 'all right', 'alles klar', 'ach so'];

/** Whether a caller only shows that they are listening, which is not an interruption. */
export function isBackChannel(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s'-]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean);
  if (listeningPhrases.includes(words.join(' '))) return true;
  return words.length <= 3 && words.every((word) => listening.has(word));
}

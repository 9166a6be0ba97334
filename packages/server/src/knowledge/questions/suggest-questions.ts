import type { OutlineRow } from './knowledge-questions.store.ts';
import { frequentWords, phrasesFor } from './language.ts';

const maxQuestions = 3;
const maxTopicCharacters = 80;
const minTermLength = 5;

/** Headings that say nothing about their content. */
const generic =
  /^(table of )?contents?$|^(introduction|overview|summary|appendix|index|einleitung|inhalt(sverzeichnis)?|übersicht|zusammenfassung|sommaire|índice|inhoud|目录|目次)$/i;

/**
 * Questions that a bot's knowledge answers: about its headings, or the words that stand out where there are none. They contain
 * those words, so that even a search for words alone finds the passage.
 */
export function suggestQuestions(outline: readonly OutlineRow[]): string[] {
  if (outline.length === 0) return [];
  const phrases = phrasesFor(outline.map(({ beginning }) => beginning).join('\n'));
  const titles = new Set(outline.map(({ title }) => plain(title).toLowerCase()));
  const headings = distinct(outline.map(({ headingPath }) => topicOf(headingPath.at(-1) ?? '')))
    .filter((heading) => isTopic(heading))
    .toSorted(
      (one, other) => Number(titles.has(one.toLowerCase())) - Number(titles.has(other.toLowerCase())),
    );
  const topics = headings.length > 0 ? headings : distinct(outline.map(({ beginning }) => termOf(beginning)));
  const questions = topics
    .filter((topic) => topic !== '')
    .slice(0, maxQuestions)
    .map((topic) => (/[?？؟]$/.test(topic) ? topic : phrases.about.replace('{}', () => topic)));
  const [first] = outline;
  return questions.length > 0 || !first
    ? questions
    : [phrases.overview.replace('{}', () => plain(first.title))];
}

function distinct(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [text.toLowerCase(), text])).values()];
}

/** Without numbers such as `1.2` before it and a colon after it. */
function topicOf(heading: string): string {
  return heading
    .replace(/^(?:\d+[.)]?)+\s+/, '')
    .replace(/[\s:：.]+$/, '')
    .trim();
}

function isTopic(heading: string): boolean {
  if (heading.length > maxTopicCharacters || generic.test(heading)) return false;
  return /\p{L}\p{L}/u.test(heading);
}

/** A title without the ending of a file. */
function plain(title: string): string {
  return title.replace(/\.(txt|pdf|docx|md|html?)$/i, '').trim();
}

/** The longest of the most frequent words of a passage; empty where words are not written apart. */
function termOf(text: string): string {
  const counts = new Map<string, { word: string; count: number }>();
  for (const word of text.match(/\p{L}[\p{L}\p{M}-]*\p{L}/gu) ?? []) {
    const key = word.toLowerCase();
    if (word.length < minTermLength || word.length > 30 || frequentWords.has(key)) continue;
    counts.set(key, { word, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [best] = [...counts.values()].toSorted(
    (one, other) => other.count - one.count || other.word.length - one.word.length,
  );
  return best?.word ?? '';
}

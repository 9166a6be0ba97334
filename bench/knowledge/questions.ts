import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BenchPassage {
  title: string;
  content: string;
}

/**
 * As a person asks who has not read the passage; with hardly a word of it, so that only its meaning can be found; or by a
 * name or number that stands in it.
 */
export type QuestionKind = 'paraphrase' | 'remote' | 'exact';

export interface BenchQuestion {
  kind: QuestionKind;
  /** What was tuned on the first half is judged by the second. */
  half: 'development' | 'test';
  text: string;
  /** The place of the passage that answers it. */
  passage: number;
}

export interface QuestionSet {
  passages: BenchPassage[];
  questions: BenchQuestion[];
  /** No passage answers them. */
  unanswerable: { half: BenchQuestion['half']; text: string }[];
}

const folder = join(import.meta.dirname, 'fixtures');
const kinds: Readonly<Record<string, QuestionKind>> = { '?': 'paraphrase', '~': 'remote', '=': 'exact' };

/**
 * `## Title`, the passage, then its questions: `- ? …` paraphrased, `- ~ …` from afar, `- = …` by name. Every other passage
 * belongs to the development half, with all of its questions; all passages are searched for both.
 */
export function readQuestions(): QuestionSet {
  const set: QuestionSet = { passages: [], questions: [], unanswerable: [] };
  const files = readdirSync(folder).filter((name) => name.startsWith('passages-'));
  for (const file of files.toSorted()) {
    const [, ...sections] = readFileSync(join(folder, file), 'utf8').split(/^## /m);
    for (const section of sections) addPassage(set, section);
  }
  for (const line of readFileSync(join(folder, 'unanswerable.md'), 'utf8').trim().split('\n')) {
    set.unanswerable.push({ half: halfOf(set.unanswerable.length), text: line.replace(/^- /, '') });
  }
  return set;
}

function addPassage(set: QuestionSet, section: string): void {
  const [title = '', ...lines] = section.trim().split('\n');
  const passage = set.passages.length;
  const content: string[] = [];
  for (const line of lines) {
    const [, sign = '', text] = /^- ([?~=]) (.+)$/.exec(line) ?? [];
    const kind = kinds[sign];
    if (kind && text) set.questions.push({ kind, half: halfOf(passage), text, passage });
    else content.push(line);
  }
  set.passages.push({ title, content: content.join('\n').trim() });
}

function halfOf(place: number): BenchQuestion['half'] {
  return place % 2 === 0 ? 'development' : 'test';
}

import { randomUUID } from 'node:crypto';
import { chunkStore } from '../../packages/server/src/knowledge/chunks/chunks.store.ts';
import { indexChunks } from '../../packages/server/src/knowledge/chunks/index-chunks.ts';
import { createChunkEmbedding } from '../../packages/server/src/knowledge/embedding/chunk-embedding.ts';
import type { Comparison, Result } from '../support/compare.ts';
import { type BenchQuestion, type QuestionKind, type QuestionSet, readQuestions } from './questions.ts';
import type { Section } from './section.ts';
import { openStage, type Stage } from './stage.ts';
import { type Ranking, type Way, ways, waysToSearch } from './ways-to-search.ts';

const signal = new AbortController().signal;

interface Score {
  first: number;
  amongFive: number;
  reciprocal: number;
}

const kinds: Record<QuestionKind, string> = {
  paraphrase: 'paraphrased questions',
  remote: 'questions with hardly a word of the passage',
  exact: 'names and numbers',
};

/** How often the right passage comes first, or among five: by words alone, by vectors alone, and by both. */
export const quality: Section = async ({ cleanUp, quick, say }) => {
  const set = readQuestions();
  const stage = await openStage(cleanUp);
  const workspaceId = randomUUID();
  const chunkIds = await store(stage, workspaceId, set, say);
  const search = waysToSearch(stage, workspaceId);
  const comparisons: Comparison[] = [];
  for (const half of quick ? (['test'] as const) : (['development', 'test'] as const)) {
    for (const kind of ['paraphrase', 'remote', 'exact'] as const) {
      const questions = set.questions.filter((one) => one.half === half && one.kind === kind);
      const rankings: Ranking[] = [];
      for (const { text } of questions) rankings.push(await search(text));
      comparisons.push({
        title: `${questions.length} ${kinds[kind]}, ${half} half`,
        results: toResults(kind, half, (way) => scoreOf(way, questions, rankings, chunkIds)),
      });
    }
    const unanswerable = set.unanswerable.filter((one) => one.half === half);
    let answered = 0;
    for (const { text } of unanswerable) answered += (await search(text)).shown.length > 0 ? 1 : 0;
    comparisons.push({
      title: `${unanswerable.length} questions that no passage answers, ${half} half`,
      results: [
        { label: 'share for which something is shown', digits: 3, ours: answered / unanswerable.length },
      ],
    });
    say(`Questions: the ${half} half is asked`);
  }
  return comparisons;
};

async function store(
  { database, embedders }: Stage,
  workspaceId: string,
  { passages }: QuestionSet,
  say: (text: string) => void,
): Promise<string[]> {
  const { raw } = database.acrossWorkspaces;
  await raw(`insert into workspaces (id, name) values ($1, 'Questions')`, [workspaceId]);
  const embedding = createChunkEmbedding(embedders);
  const ids: string[] = [];
  for (const { title, content } of passages) {
    const knowledgeId = randomUUID();
    await raw(
      `insert into knowledge (id, workspace_id, title, content_type, processing_status)
       values ($1, $2, $3, 'text', 'completed')`,
      [knowledgeId, workspaceId, title],
    );
    const chunks = indexChunks(workspaceId, [{ position: 0, headingPath: [title], content, tokenCount: 0 }]);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.replaceChunks(tx, workspaceId, knowledgeId, chunks),
    );
    const { model } = embedding;
    const [made] = await chunkStore.listUnembedded(
      database.acrossWorkspaces,
      workspaceId,
      knowledgeId,
      model,
      1,
    );
    if (!made) throw new Error('No chunk was made.');
    const embedded = await embedding.embed(embedding.split([made]), signal, () => undefined);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, workspaceId, model, embedded),
    );
    ids.push(made.id);
  }
  say(`Questions: ${passages.length} passages are embedded`);
  return ids;
}

function scoreOf(
  way: Way,
  questions: readonly BenchQuestion[],
  rankings: readonly Ranking[],
  chunkIds: readonly string[],
): Score {
  const places = questions.map(
    ({ passage }, at) => rankings[at]?.[way].indexOf(chunkIds[passage] ?? '') ?? -1,
  );
  const share = (worth: (place: number) => number) =>
    places.reduce((sum, place) => sum + (place < 0 ? 0 : worth(place)), 0) / places.length;
  return {
    first: share((place) => (place === 0 ? 1 : 0)),
    amongFive: share((place) => (place < 5 ? 1 : 0)),
    reciprocal: share((place) => 1 / (place + 1)),
  };
}

const metrics: { label: string; of: keyof Score; leastForParaphrases?: number }[] = [
  { label: 'recall@1', of: 'first', leastForParaphrases: 0.6 },
  { label: 'recall@5', of: 'amongFive', leastForParaphrases: 0.85 },
  { label: 'MRR', of: 'reciprocal' },
];

/** The better of the two legs is what both together are held against. Goals are for the half that nothing was tuned on. */
function toResults(kind: QuestionKind, half: BenchQuestion['half'], score: (way: Way) => Score): Result[] {
  const scores = Object.fromEntries(ways.map((way) => [way, score(way)])) as Record<Way, Score>;
  return metrics.flatMap(({ label, of, leastForParaphrases: least }) => {
    const baseline = Math.max(scores.words[of], scores.vectors[of]);
    const isTest = half === 'test';
    return [
      { label: `${label}, words only`, digits: 3, ours: scores.words[of] },
      { label: `${label}, vectors only`, digits: 3, ours: scores.vectors[of] },
      {
        label: `${label}, both, beside the better`,
        digits: 3,
        baseline,
        ours: scores.fused[of],
        ...(isTest && { goal: { behind: 0.02 } }),
      },
      {
        label: `${label}, what is shown`,
        digits: 3,
        ours: scores.shown[of],
        ...(isTest && kind === 'paraphrase' && least !== undefined && { goal: { least } }),
      },
    ];
  });
}

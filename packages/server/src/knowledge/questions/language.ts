/** How a question is put in a language. */
interface Phrases {
  about(topic: string): string;
  overview(title: string): string;
}

/** By the words that are frequent in it and in no other of these. */
const byWords: Record<string, { words: string; phrases: Phrases }> = {
  en: {
    words: 'the and of to is that with for you are this be within your not',
    phrases: {
      about: (topic) => `What does it say about “${topic}”?`,
      overview: (title) => `What is “${title}” about?`,
    },
  },
  de: {
    words: 'der die das und ist nicht mit für auf ein eine wird sie werden von zu den dem bei',
    phrases: {
      about: (topic) => `Was steht dort zu „${topic}“?`,
      overview: (title) => `Worum geht es in „${title}“?`,
    },
  },
  fr: {
    words: 'le les des et est dans pour une vous que qui sur pas votre avec du au sont',
    phrases: {
      about: (topic) => `Que dit le document sur « ${topic} » ?`,
      overview: (title) => `De quoi parle « ${title} » ?`,
    },
  },
  es: {
    words: 'el los las y que en una por con para del se su es al como más son',
    phrases: {
      about: (topic) => `¿Qué dice sobre «${topic}»?`,
      overview: (title) => `¿De qué trata «${title}»?`,
    },
  },
  it: {
    words: 'il gli di che è per una con del della sono non si dei delle nel al da più',
    phrases: {
      about: (topic) => `Che cosa dice su «${topic}»?`,
      overview: (title) => `Di che cosa parla «${title}»?`,
    },
  },
  pt: {
    words: 'os as que em uma para com não do da dos das é por ao mais são no na',
    phrases: {
      about: (topic) => `O que diz sobre “${topic}”?`,
      overview: (title) => `De que trata “${title}”?`,
    },
  },
  nl: {
    words: 'het een van en is dat op te met voor niet zijn wordt bij aan deze u uw',
    phrases: {
      about: (topic) => `Wat staat er over “${topic}”?`,
      overview: (title) => `Waar gaat “${title}” over?`,
    },
  },
  pl: {
    words: 'w na z się do nie że jest to jak oraz od lub dla przez są po',
    phrases: {
      about: (topic) => `Co jest napisane o „${topic}”?`,
      overview: (title) => `O czym jest „${title}”?`,
    },
  },
};

/** By the script that it is written in. */
const byScript: { script: RegExp; phrases: Phrases }[] = [
  {
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    phrases: {
      about: (topic) => `「${topic}」について何と書いてありますか？`,
      overview: (title) => `「${title}」は何についてのものですか？`,
    },
  },
  {
    script: /\p{Script=Han}/gu,
    phrases: {
      about: (topic) => `关于“${topic}”是怎么说的？`,
      overview: (title) => `“${title}”讲的是什么？`,
    },
  },
  {
    script: /\p{Script=Hangul}/gu,
    phrases: {
      about: (topic) => `“${topic}”에 대해 뭐라고 되어 있나요?`,
      overview: (title) => `“${title}”은(는) 무엇에 관한 것인가요?`,
    },
  },
  {
    script: /\p{Script=Cyrillic}/gu,
    phrases: {
      about: (topic) => `Что там сказано о «${topic}»?`,
      overview: (title) => `О чём «${title}»?`,
    },
  },
  {
    script: /\p{Script=Arabic}/gu,
    phrases: {
      about: (topic) => `ماذا ورد عن «${topic}»؟`,
      overview: (title) => `ما موضوع «${title}»؟`,
    },
  },
];

const wordSets = Object.entries(byWords).map(([language, { words, phrases }]) => ({
  language,
  words: new Set(words.split(' ')),
  phrases,
}));

/** Words that are too frequent to be a topic. */
export const frequentWords: ReadonlySet<string> = new Set(wordSets.flatMap(({ words }) => [...words]));

/** The phrases of the language that a text is in; English if it is none that we know. */
export function phrasesFor(text: string): Phrases {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const other = byScript.find(({ script }) => (text.match(script)?.length ?? 0) > letters / 5);
  if (other) return other.phrases;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = wordSets.map(({ words: frequent, phrases }) => ({
    phrases,
    score: words.filter((word) => frequent.has(word)).length,
  }));
  const best = scores.reduce((one, next) => (next.score > one.score ? next : one));
  return best.phrases;
}

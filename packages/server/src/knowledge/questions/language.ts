/** How a question is put in a language; `{}` stands for the topic, or for the title. */
interface Phrases {
  about: string;
  overview: string;
}

/** By the words that are frequent in it and in no other of these. */
const byWords = {
  en: {
    words: 'the and of to is that with for you are this be within your not',
    about: 'What does it say about “{}”?',
    overview: 'What is “{}” about?',
  },
  de: {
    words: 'der die das und ist nicht mit für auf ein eine wird sie werden von zu den dem bei',
    about: 'Was steht dort zu „{}“?',
    overview: 'Worum geht es in „{}“?',
  },
  fr: {
    words: 'le les des et est dans pour une vous que qui sur pas votre avec du au sont',
    about: 'Que dit le document sur « {} » ?',
    overview: 'De quoi parle « {} » ?',
  },
  es: {
    words: 'el los las y que en una por con para del se su es al como más son',
    about: '¿Qué dice sobre «{}»?',
    overview: '¿De qué trata «{}»?',
  },
  it: {
    words: 'il gli di che è per una con del della sono non si dei delle nel al da più',
    about: 'Che cosa dice su «{}»?',
    overview: 'Di che cosa parla «{}»?',
  },
  pt: {
    words: 'os as que em uma para com não do da dos das é por ao mais são no na',
    about: 'O que diz sobre “{}”?',
    overview: 'De que trata “{}”?',
  },
  nl: {
    words: 'het een van en is dat op te met voor niet zijn wordt bij aan deze u uw',
    about: 'Wat staat er over “{}”?',
    overview: 'Waar gaat “{}” over?',
  },
  pl: {
    words: 'w na z się do nie że jest to jak oraz od lub dla przez są po',
    about: 'Co jest napisane o „{}”?',
    overview: 'O czym jest „{}”?',
  },
} satisfies Record<string, Phrases & { words: string }>;

/** By the script that it is written in. */
const byScript: (Phrases & { script: RegExp })[] = [
  {
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    about: '「{}」について何と書いてありますか？',
    overview: '「{}」は何についてのものですか？',
  },
  {
    script: /\p{Script=Han}/gu,
    about: '关于“{}”是怎么说的？',
    overview: '“{}”讲的是什么？',
  },
  {
    script: /\p{Script=Hangul}/gu,
    about: '“{}”에 대해 뭐라고 되어 있나요?',
    overview: '“{}”은(는) 무엇에 관한 것인가요?',
  },
  {
    script: /\p{Script=Cyrillic}/gu,
    about: 'Что там сказано о «{}»?',
    overview: 'О чём «{}»?',
  },
  {
    script: /\p{Script=Arabic}/gu,
    about: 'ماذا ورد عن «{}»؟',
    overview: 'ما موضوع «{}»؟',
  },
];

const wordSets = Object.values(byWords).map(({ words, ...phrases }) => ({
  ...phrases,
  words: new Set(words.split(' ')),
}));

/** Words that are too frequent to be a topic. */
export const frequentWords: ReadonlySet<string> = new Set(wordSets.flatMap(({ words }) => [...words]));

/** The phrases of the language that a text is in; English if it is none that we know. */
export function phrasesFor(text: string): Phrases {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const other = byScript.find(({ script }) => (text.match(script)?.length ?? 0) > letters / 5);
  if (other) return other;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = wordSets.map(({ words: frequent }) => words.filter((word) => frequent.has(word)).length);
  return wordSets[scores.indexOf(Math.max(...scores))] ?? byWords.en;
}

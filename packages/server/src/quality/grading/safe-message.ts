interface SafeMessage {
  text: string;
  /** The language as people name it, in English and in itself, or by its code. */
  named: RegExp;
  /** Frequent words, also those that other languages share; undefined where its script tells. */
  words?: ReadonlySet<string>;
}

const wordsOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** What is sent instead of a reply that is not reliable enough, by ISO 639-1 code. */
const messages = {
  en: {
    text: 'I do not have enough reliable information to answer that.',
    named: /^(en\b|english)/i,
    words: wordsOf(
      'the and is are was of to you your what how when which where not it for does can my i there with do as per come',
    ),
  },
  ar: { text: 'ليست لديّ معلومات موثوقة كافية للإجابة عن ذلك.', named: /^(ar\b|arabic|العربية)/i },
  de: {
    text: 'Ich habe nicht genug verlässliche Informationen, um das zu beantworten.',
    named: /^(de\b|german|deutsch)/i,
    words: wordsOf(
      'der die das und ist sind nicht ich wie wir sie ein eine zu den dem mit kann was wann wo auf für von mein ihr per des es',
    ),
  },
  es: {
    text: 'No tengo suficiente información fiable para responder a eso.',
    named: /^(es\b|spanish|espa[nñ]ol|castellano)/i,
    words: wordsOf(
      'el los las es y que por una para cómo cuándo dónde qué cuál está puedo mi su con del hay tiene de la en un como',
    ),
  },
  fr: {
    text: 'Je n’ai pas assez d’informations fiables pour répondre à cela.',
    named: /^(fr\b|french|fran[cç]ais)/i,
    words: wordsOf(
      'le les est et vous je une des pas qui pour du dans comment quand où quel quelle ma mon votre avec sont de la en un que as ne',
    ),
  },
  he: { text: 'אין לי מספיק מידע אמין כדי לענות על כך.', named: /^(he\b|iw\b|hebrew|עברית)/i },
  it: {
    text: 'Non ho abbastanza informazioni affidabili per rispondere.',
    named: /^(it\b|italian)/i,
    words: wordsOf(
      'il lo gli è e che di per non sono come quando dove quale mi con della posso mio sua del nel la un una i ne',
    ),
  },
  ja: { text: 'お答えするのに十分な確かな情報がありません。', named: /^(ja\b|japanese|日本語)/i },
  nl: {
    text: 'Ik heb niet genoeg betrouwbare informatie om dat te beantwoorden.',
    named: /^(nl\b|dutch|nederlands)/i,
    words: wordsOf(
      'de het een en niet ik van hoe kan dat wat wanneer waar voor met zijn mijn uw je op per is die',
    ),
  },
  pl: {
    text: 'Nie mam wystarczająco wiarygodnych informacji, aby na to odpowiedzieć.',
    named: /^(pl\b|polish|polski)/i,
    words: wordsOf('i nie się jest są w na jak czy to że kiedy gdzie jaki jaka mam mój moje do mogę dla'),
  },
  pt: {
    text: 'Não tenho informações confiáveis suficientes para responder a isso.',
    named: /^(pt\b|portuguese|portugu[eê]s)/i,
    words: wordsOf(
      'o os as é que não uma um para como quando onde qual eu você do da com meu minha está posso de e',
    ),
  },
  tr: {
    text: 'Bunu yanıtlamak için yeterince güvenilir bilgiye sahip değilim.',
    named: /^(tr\b|turkish|t[uü]rk[cç]e)/i,
    words: wordsOf('ve bir bu için ne nasıl nerede mı mi mu değil var çok ben kaç hangi zaman de en'),
  },
  zh: { text: '我没有足够可靠的信息来回答这个问题。', named: /^(zh\b|chinese|中文|普通话|mandarin)/i },
} as const satisfies Record<string, SafeMessage>;

type Language = keyof typeof messages;
const languages = Object.entries(messages) as [Language, SafeMessage][];

/** A text is in a language with this many more frequent words of it than of any other: one alone may be a name or a foreign word. */
const minLead = 2;
/** Texts are read up to here. */
const maxCharacters = 2_000;

/**
 * In the language of the first text that is clearly in one, the most telling first; then in the one that the bot is told to use;
 * otherwise in English.
 */
export function safeMessageFor(texts: readonly string[], botLanguage: string | undefined): string {
  for (const text of texts) {
    const language = languageOf(text.slice(0, maxCharacters));
    if (language) return messages[language].text;
  }
  const named = botLanguage?.trim() ?? '';
  return (languages.find(([, message]) => message.named.test(named))?.[1] ?? messages.en).text;
}

/** By its script, or by its frequent words. Undefined if that is not clear, or if it is none of ours. */
function languageOf(text: string): Language | undefined {
  if (/[\u3040-\u30ff]/.test(text)) return 'ja';
  if (/\p{Script=Han}/u.test(text)) return 'zh';
  if (/\p{Script=Hebrew}/u.test(text)) return 'he';
  // Persian and Urdu have letters that Arabic does not.
  if (/\p{Script=Arabic}/u.test(text))
    return /[\u067e\u0686\u0698\u06a9\u06af\u06cc]/.test(text) ? undefined : 'ar';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counted = languages
    .map(([language, { words: known }]) => ({
      language,
      count: words.filter((word) => known?.has(word)).length,
    }))
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counted;
  return first && second && first.count - second.count >= minLead ? first.language : undefined;
}

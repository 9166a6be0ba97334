/** What is said on calls besides the replies of the bot. */
const english = {
  language: 'en-US',
  greeting: 'Hello! How can I help you?',
  /** Before the greeting, if the call is recorded. */
  recorded: 'This call is recorded.',
  /** While a tool runs. */
  oneMoment: 'One moment, please.',
  /** When a tool has run. */
  thanksForWaiting: 'Thanks for waiting.',
  /** While a person has to approve something. */
  beingChecked: 'I have passed your request on, and it is being checked. One moment, please.',
  stillChecking: 'Your request is still being checked. Thank you for your patience.',
  /** Where only English is understood. */
  onlyEnglish: 'On this call I can only understand English.',
  stillThere: 'Are you still there?',
  goodbyeSilence: 'I cannot hear you, so I will hang up now. Goodbye!',
  goodbyeLimit: 'I am sorry, but I have to end this call now. Goodbye!',
  sorry: 'Sorry, something went wrong. Could you say that again, please?',
  sorryGoodbye: 'I am sorry, but there is a problem on our side. Please try again later. Goodbye!',
};

export type Phrases = typeof english;

const german: Phrases = {
  language: 'de-DE',
  greeting: 'Guten Tag! Wie kann ich Ihnen helfen?',
  recorded: 'Dieses Gespräch wird aufgezeichnet.',
  oneMoment: 'Einen Moment, bitte.',
  thanksForWaiting: 'Danke fürs Warten.',
  beingChecked: 'Ich habe Ihre Anfrage weitergegeben, sie wird gerade geprüft. Einen Moment, bitte.',
  stillChecking: 'Ihre Anfrage wird noch geprüft. Danke für Ihre Geduld.',
  onlyEnglish: 'Am Telefon verstehe ich Sie leider nur, wenn Sie Englisch sprechen.',
  stillThere: 'Sind Sie noch da?',
  goodbyeSilence: 'Ich kann Sie nicht hören und lege jetzt auf. Auf Wiederhören!',
  goodbyeLimit: 'Es tut mir leid, ich muss das Gespräch jetzt beenden. Auf Wiederhören!',
  sorry: 'Entschuldigung, da ist etwas schiefgegangen. Könnten Sie das bitte noch einmal sagen?',
  sorryGoodbye:
    'Es tut mir leid, wir haben gerade ein Problem. Bitte versuchen Sie es später noch einmal. Auf Wiederhören!',
};

const french: Phrases = {
  language: 'fr-FR',
  greeting: 'Bonjour ! Comment puis-je vous aider ?',
  recorded: 'Cet appel est enregistré.',
  oneMoment: 'Un instant, s’il vous plaît.',
  thanksForWaiting: 'Merci d’avoir patienté.',
  beingChecked:
    'J’ai transmis votre demande, elle est en cours de vérification. Un instant, s’il vous plaît.',
  stillChecking: 'Votre demande est toujours en cours de vérification. Merci de votre patience.',
  onlyEnglish: 'Au téléphone, je ne comprends malheureusement que l’anglais.',
  stillThere: 'Êtes-vous toujours là ?',
  goodbyeSilence: 'Je ne vous entends pas, je vais donc raccrocher. Au revoir !',
  goodbyeLimit: 'Je suis désolé, je dois terminer cet appel maintenant. Au revoir !',
  sorry: 'Désolé, il y a eu un problème. Pouvez-vous répéter, s’il vous plaît ?',
  sorryGoodbye: 'Je suis désolé, nous avons un problème. Veuillez réessayer plus tard. Au revoir !',
};

const spanish: Phrases = {
  language: 'es-ES',
  greeting: '¡Hola! ¿En qué puedo ayudarle?',
  recorded: 'Esta llamada se graba.',
  oneMoment: 'Un momento, por favor.',
  thanksForWaiting: 'Gracias por esperar.',
  beingChecked: 'He enviado su solicitud y la están revisando. Un momento, por favor.',
  stillChecking: 'Todavía están revisando su solicitud. Gracias por su paciencia.',
  onlyEnglish: 'Por teléfono, lamentablemente, solo entiendo el inglés.',
  stillThere: '¿Sigue ahí?',
  goodbyeSilence: 'No le oigo, así que voy a colgar. ¡Adiós!',
  goodbyeLimit: 'Lo siento, tengo que terminar esta llamada. ¡Adiós!',
  sorry: 'Perdón, algo ha fallado. ¿Puede repetirlo, por favor?',
  sorryGoodbye: 'Lo siento, tenemos un problema. Inténtelo más tarde, por favor. ¡Adiós!',
};

const languages: readonly [RegExp, Phrases][] = [
  [/^(de\b|german|deutsch)/i, german],
  [/^(fr\b|french|fran[cç]ais)/i, french],
  [/^(es\b|spanish|espa[nñ]ol|castellano)/i, spanish],
];

/** In the language of a bot, as it is named in its prompt builder; in English for all others. */
export function phrasesIn(language: string | undefined): Phrases {
  const named = language?.trim() ?? '';
  return languages.find(([pattern]) => pattern.test(named))?.[1] ?? english;
}

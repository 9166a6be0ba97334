import { expect, it } from 'vitest';
import { safeMessageFor } from './safe-message.ts';

const english = /reliable information/;

it.each([
  ['What is the refund period?', english],
  ['Wie lange kann ich die Ware zurückgeben?', /verlässliche/],
  ['¿Cuándo está abierta la tienda los domingos?', /fiable/],
  ['Quand est-ce que vous êtes ouverts le dimanche ?', /fiables/],
  ['Quando è aperto il negozio della stazione?', /affidabili/],
  ['Quando você está aberto no domingo? Posso ir com meu filho?', /confiáveis/],
  ['Wanneer zijn jullie open op zondag, en kan ik met de auto?', /betrouwbare/],
  ['Kiedy sklep jest otwarty i jak mogę dojechać?', /wiarygodnych/],
  ['Bu mağaza pazar günü ne zaman açık ve nerede?', /güvenilir/],
  ['متى يفتح المتجر يوم الأحد؟', /موثوقة/],
  ['מתי החנות פתוחה ביום ראשון?', /אמין/],
  ['日曜日は何時に開きますか?', /確かな/],
  ['星期天几点开门?', /可靠/],
])('%s is answered in its language', (text, expected) => {
  expect(safeMessageFor([text], undefined)).toMatch(expected);
});

it('follows the next text where the first one does not tell, then the bot, then English', () => {
  expect(safeMessageFor(['4711', 'Die Nummer ist nicht bekannt.'], 'French')).toMatch(/verlässliche/);
  expect(safeMessageFor(['4711', 'OK'], 'Français (Suisse)')).toMatch(/fiables/);
  expect(safeMessageFor(['4711'], 'Klingon')).toMatch(english);
  expect(safeMessageFor(['فروشگاه چه ساعتی باز می‌شود؟'], undefined)).toMatch(english);
  expect(safeMessageFor([], undefined)).toMatch(english);
});

it.each([
  [
    'Quiero información de envíos en Madrid',
    'Spanish',
    'Los envíos a la ciudad tardan dos días y el precio es fijo.',
    /fiable para/,
  ],
  ['Prix de la livraison en Suisse', 'French', 'Les prix sont dans votre compte.', /fiables/],
  ['Horário de funcionamento', 'Portuguese', 'A loja não abre com chuva, você está avisado.', /confiáveis/],
  ['Price per month?', 'English', 'It is 10 euros, and there are no fees.', english],
  ['Same as before?', 'English', 'It is the same as before.', english],
  ['Opening hours EST?', 'English', 'We are open when you are.', english],
])('%s does not tell its language by a word or two that several share', (asked, bot, reply, expected) => {
  expect(safeMessageFor([asked], undefined)).toMatch(english);
  expect(safeMessageFor([asked], bot)).toMatch(expected);
  expect(safeMessageFor([asked, reply], undefined)).toMatch(expected);
  // A clear text comes before what the bot is told.
  expect(safeMessageFor([asked, reply], 'Turkish')).toMatch(expected);
});

it('reads a long text in bounded time', () => {
  expect(safeMessageFor(['der die das '.repeat(1_000_000)], undefined)).toMatch(/verlässliche/);
});

import { type Script, status, text, toolCall, toolCalls, usage } from '../../scripted-model/script.ts';
import type { ScriptedModel, ScriptedRequest } from '../../scripted-model/server.ts';
import { complete, isCheck } from '../../support/agents.ts';
import { askedBy } from '../../support/chat.ts';
import { asksForJudgement, judged } from '../../support/evaluating.ts';
import { claims, isGrading, isValidation, score } from '../../support/quality.ts';

/** What the model of the seeded workspace replies, by words of the user's last message. */
const replies: { to: RegExp; steps: ((request: ScriptedRequest) => Script)[] }[] = [
  {
    to: /where is my order/i,
    steps: [
      () => [usage(1_840, 32), toolCall('find_order', { number: 4711 })],
      (request) => [
        usage(2_210, 64, 1_792),
        text('It was handed over in **Cologne** this morning and arrives tomorrow '),
        text(`[${passageOf(request)}]. I can refund the shipping if you like.`),
      ],
    ],
  },
  {
    to: /refund/i,
    steps: [
      () => [
        usage(2_300, 40),
        toolCall('refund_order', { order: 4711, amount: 120, note: 'Arrived broken' }),
      ],
      () => [text('The refund is on its way.')],
    ],
  },
  {
    to: /restock|run now/i,
    steps: [
      () => [toolCalls([1, 2].map((number) => ({ name: 'stock', arguments: { number } })))],
      () => [usage(5_200, 310), text('Ordered 40 headphones and 12 chargers. Everything else is in stock.')],
    ],
  },
  {
    to: /person/i,
    steps: [
      () => [toolCall('handoff', { reason: 'Wants to speak with a person about a broken parcel' })],
      () => [text('I have asked a colleague. Somebody will answer here.')],
    ],
  },
  {
    to: /break down/i,
    steps: [() => [status(400, {}, { error: { message: 'The model is not available.' } })]],
  },
  { to: /مرحبا/u, steps: [() => [text('مرحبا! يمكنك إرجاع السماعات خلال 30 يومًا إذا لم تُفتح.')]] },
  { to: /你好/u, steps: [() => [text('您好！耳机在三十天内可以退货，但必须未拆封。需要我帮您办理吗？')]] },
  {
    to: /guess/i,
    steps: [() => [text('Headphones certainly last forty years, as every physicist knows.')]],
  },
];

/** Replies like a model that knows the seeded shop. */
export function playSeededModel(scripted: ScriptedModel): void {
  scripted.respondWith((request) => {
    if (!request.body['messages']) return [];
    if (isGrading(request.body)) return score(/forty years/.test(JSON.stringify(request.body)) ? 0.12 : 0.91);
    if (isValidation(request.body)) return claims();
    if (isCheck(request)) return [text(JSON.stringify(complete))];
    if (asksForJudgement(request))
      return judged(
        { number: 1, holds: true },
        { number: 2, holds: false, explanation: 'The answer names no date.' },
      );
    const asked = askedBy(request);
    const last = asked.findLastIndex(({ role }) => role === 'user');
    const found = replies.find(({ to }) => to.test(asked[last]?.content.split('\n').at(-1) ?? ''));
    const given = asked.slice(last).filter(({ role }) => role === 'assistant').length;
    return (
      found?.steps[given]?.(request) ?? [
        usage(900, 41),
        text('Goods can be returned within 30 days. Opened headphones cannot.'),
      ]
    );
  });
}

function passageOf(request: ScriptedRequest): string {
  return /<passage id="(k\d+)"/.exec(JSON.stringify(askedBy(request)).replaceAll('\\"', '"'))?.[1] ?? 'k1';
}

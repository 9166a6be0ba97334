import { expect, it } from 'vitest';
import { suggestQuestions } from './suggest-questions.ts';

const passage = (headings: string[], beginning: string, title = 'handbook.pdf') => ({
  knowledgeId: 'k',
  title,
  headingPath: headings,
  beginning,
});

it('asks about the headings, without numbers, repetition and those that say nothing', () => {
  const outline = [
    passage(['Handbook'], 'This is the handbook of the shop.'),
    passage(['Handbook', 'Contents'], 'Returns, Shipping'),
    passage(['Handbook', '1.2 Returns:'], 'Goods can be returned within 30 days.'),
    passage(['Handbook', '1.2 Returns:'], 'Opened headphones cannot be returned.'),
    passage(['Handbook', 'How long does shipping take?'], 'It takes two days and is free for members.'),
    passage(['Handbook', 'Warranty'], 'Two years are the rule.'),
  ];
  expect(suggestQuestions(outline)).toEqual([
    'What does it say about “Returns”?',
    'How long does shipping take?',
    'What does it say about “Warranty”?',
  ]);
});

it('asks in the language of the text', () => {
  const ask = (heading: string, text: string) => suggestQuestions([passage([heading], text)])[0];
  expect(ask('Rückgabe', 'Die Ware kann bei uns innerhalb von 30 Tagen zurückgegeben werden.')).toBe(
    'Was steht dort zu „Rückgabe“?',
  );
  expect(ask('Retours', 'Les articles sont remboursés dans les trente jours pour vous.')).toContain(
    'Que dit',
  );
  expect(ask('退货', '商品可以在三十天内退货。')).toBe('关于“退货”是怎么说的？');
  expect(ask('返品', '商品は三十日以内に返品できます。')).toContain('「返品」');
  expect(ask('الإرجاع', 'يمكن إرجاع البضائع خلال ثلاثين يوما.')).toContain('«الإرجاع»');
});

it('finds a topic where there are no headings, and has none where nothing is known', () => {
  const text = 'Headphones that were opened cannot be returned. Headphones in their box can.';
  expect(suggestQuestions([passage([], text)])).toEqual(['What does it say about “Headphones”?']);
  expect(suggestQuestions([passage([], '三十天', '退货.txt')])).toEqual(['“退货”讲的是什么？']);
  expect(suggestQuestions([])).toEqual([]);
});

import { expect, it } from 'vitest';
import type { Model, ModelPart } from '../../models/model.ts';
import { createCitationMarks } from './passages/citation-marks.ts';
import { readReply } from './read-reply.ts';

const passage = (number: number) => ({
  number,
  knowledge_id: `${number}`,
  title: 'T',
  heading_path: [],
  source_url: null,
  quote: 'q',
  score: 1,
});

it('leaves alone what a model quotes, and reads the marks around it', async () => {
  const parts: ModelPart[] = [
    { type: 'text', text: 'Look [' },
    { type: 'text', text: 'k1] [k2]', isQuotation: true },
    { type: 'text', text: '[k' },
    { type: 'text', text: '2]' },
  ];
  const model: Pick<Model, 'reply'> = {
    async reply(_request, onPart) {
      for (const part of parts) onPart(part);
    },
  };
  let said = '';
  const reply = {
    append: (text: string) => {
      said += text;
    },
    text: '',
  };
  const marks = createCitationMarks([passage(1), passage(2)]);
  const asked = { model, request: { messages: [] } };
  await readReply({ asked, reply, marks } as never, new AbortController().signal);
  expect(said).toBe('Look [k1] [k2][1]');
  expect(marks.cited().map(({ knowledge_id: id }) => id)).toEqual(['2']);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import type { Answer, Call } from '../support/test-app.ts';

/** Documents are read by processes, which takes a while: asking more often would only slow them down. */
const pollMs = 200;

/** For what ingestion does while a test waits. */
export const eventually = <Seen>(look: () => Seen) => expect.poll(look, { interval: pollMs });

export interface KnowledgeUser {
  addText(content: string, fields?: object): Promise<string>;
  addUrl(url: string, fields?: object): Promise<string>;
  /** Sends a form. `files` maps file names to contents. */
  upload(files: [name: string, content: string | Uint8Array][], fields?: object): Promise<Answer>;
  /** Uploads one file and expects it to be accepted. */
  addFile(name: string, content: string | Uint8Array, fields?: object): Promise<string>;
  read(id: string): Promise<Answer['body']>;
  /** Waits until the source is completed or failed, and returns it. */
  settled(id: string): Promise<Answer['body']>;
  /** Waits until the source is completed. */
  completed(id: string): Promise<Answer['body']>;
}

export function knowledgeOf(
  service: () => { url: string; key: string; call: Call },
  key?: string,
): KnowledgeUser {
  const as = key === undefined ? {} : { key };
  const create = async (body: object): Promise<string> => {
    const answer = await service().call('POST /api/v1/knowledge', { body, ...as });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.id;
  };

  const user: KnowledgeUser = {
    addText: (content, fields) => create({ content_type: 'text', title: 'Notes', content, ...fields }),
    addUrl: (url, fields) => create({ content_type: 'url', url, ...fields }),
    upload(files, fields = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const [name, content] of files) form.append('files', new Blob([content as BlobPart]), name);
      return sendForm(service().url, key ?? service().key, form);
    },
    async addFile(name, content, fields) {
      const { status, body } = await user.upload([[name, content]], fields);
      expect({ status, body }).toMatchObject({ status: 201, body: { errors: [] } });
      return body.created[0].id;
    },
    async read(id) {
      const answer = await service().call(`GET /api/v1/knowledge/${id}`, as);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body;
    },
    async settled(id) {
      const giveUpAt = performance.now() + patienceMs;
      for (;;) {
        const source = await user.read(id);
        if (['completed', 'failed'].includes(source.processing_status)) return source;
        if (performance.now() > giveUpAt) throw new Error(`Not processed: ${JSON.stringify(source)}`);
        await sleep(pollMs);
      }
    },
    async completed(id) {
      const source = await user.settled(id);
      expect(source).toMatchObject({ processing_status: 'completed', error: null });
      return source;
    },
  };
  return user;
}

export async function sendForm(
  url: string,
  key: string,
  body: FormData | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/knowledge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: body as BodyInit,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

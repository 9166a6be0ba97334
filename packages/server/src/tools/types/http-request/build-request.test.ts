import { expect, it } from 'vitest';
import { buildRequest } from './build-request.ts';
import { readConfiguration } from './http-configuration.ts';

const given = {
  name: 'Ada',
  address: { city: 'Köln', lines: ['A', 'B & C'], geo: { lat: 1 } },
  items: [{ price: 'p1', quantity: 2 }, { price: 'p2' }],
  expand: ['a', 'b'],
};
const decoded = (text: string | undefined) => [...new URLSearchParams(text)].map((pair) => pair.join('='));

it('writes objects of forms with brackets where the configuration says so', () => {
  const body = Object.fromEntries(
    ['name', 'address', 'items', 'expand', 'gone'].map((name) => [name, `{{${name}}}`]),
  );
  const configuration = { method: 'POST', url: 'https://api.example/x', body, body_type: 'form' };
  const deep = buildRequest(
    readConfiguration({ ...configuration, deep_objects: ['name', 'address', 'items', 'expand', 'gone'] }),
    given,
  );
  expect(decoded(deep.body)).toEqual([
    'name=Ada',
    'address[city]=Köln',
    'address[lines][]=A',
    'address[lines][]=B & C',
    'address[geo][lat]=1',
    'items[0][price]=p1',
    'items[0][quantity]=2',
    'items[1][price]=p2',
    'expand[]=a',
    'expand[]=b',
  ]);
  expect(decoded(buildRequest(readConfiguration(configuration), given).body)).toEqual([
    'name=Ada',
    `address=${JSON.stringify(given.address)}`,
    ...given.items.map((item) => `items=${JSON.stringify(item)}`),
    'expand=a',
    'expand=b',
  ]);
});

it('writes objects of the query with brackets, and leaves out what was not given', () => {
  const query = { created: '{{created}}', gone: '{{gone}}', plain: '{{plain}}' };
  const configuration = readConfiguration({
    url: 'https://api.example/x',
    query,
    deep_objects: ['created', 'gone'],
  });
  const { url } = buildRequest(configuration, { created: { gte: 5, lt: 7 }, plain: { a: 1 } });
  expect(decoded(url.search)).toEqual(['created[gte]=5', 'created[lt]=7', 'plain={"a":1}']);
  // Some fields take a plain value as well.
  expect(buildRequest(configuration, { created: 12 }).url.search).toBe('?created=12');
});

it('keeps the limit of the size', () => {
  const configuration = readConfiguration({
    method: 'POST',
    url: 'https://api.example/x',
    body: { list: '{{list}}' },
    body_type: 'form',
    deep_objects: ['list'],
  });
  const list = Array.from({ length: 200_000 }, () => ({ a_rather_long_name: 1 }));
  expect(() => buildRequest(configuration, { list })).toThrow(/body/);
});

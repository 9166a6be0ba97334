import { expect, it } from 'vitest';
import { packTerms, unpackTerms } from './packed-terms.ts';
import { termsOf } from './terms.ts';

it.each(['', 'pump', 'A pump, a pump and a valve: 蜂蜜很甜'])(
  'the terms of %j come out as they went in',
  (text) => {
    const terms = termsOf('a workspace', text);
    const packed = packTerms(terms);
    expect(packed.length).toBe(terms.length);
    expect([...unpackTerms(packed)]).toEqual([...terms.frequencies.keys()]);
    expect(packed.frequencies).toBe([...terms.frequencies.values()].join(','));
  },
);

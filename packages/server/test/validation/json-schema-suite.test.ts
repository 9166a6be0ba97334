import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { JsonSchema } from '../../src/validation/json-schema/check.ts';
import { findFaults } from '../../src/validation/json-schema/find-faults.ts';
import { findSchemaFaults } from '../../src/validation/json-schema/find-schema-faults.ts';
import { readPattern } from '../../src/validation/json-schema/pattern.ts';

interface Group {
  description: string;
  schema: JsonSchema;
  /** A description, a value, and whether it is valid. */
  tests: [string, unknown, boolean][];
}

/** The required part of the official suite for 2020-12. The file names its source and its license. */
const suite = JSON.parse(readFileSync(new URL('json-schema-suite.json', import.meta.url), 'utf8')) as {
  files: Record<string, Group[]>;
};
const groups = Object.entries(suite.files).flatMap(([file, listed]) =>
  listed.map((group) => ({ ...group, name: `${file.replace('.json', '')}: ${group.description}` })),
);

/** Schemas that are refused when they are saved, by the fault that is reported. Nothing is checked against them. */
const refused: { why: string; fault: RegExp; names: string[] }[] = [
  {
    why: 'Where a dynamic reference leads depends on the way to it, which the interpreter does not keep.',
    fault: /\$dynamic(Ref|Anchor) is not supported/,
    names: [
      'dynamicRef: A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor',
      'dynamicRef: A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor',
      'dynamicRef: A $ref to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor',
      'dynamicRef: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
      'dynamicRef: A $dynamicRef without anchor in fragment behaves identical to $ref',
      "dynamicRef: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      'dynamicRef: An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution',
      'dynamicRef: A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'dynamicRef: A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor',
      'dynamicRef: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
      'dynamicRef: A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor',
      'dynamicRef: multiple dynamic paths to the $dynamicRef keyword',
      'dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef',
      'dynamicRef: strict-tree schema, guards against misspelled properties',
      'dynamicRef: tests for implementation dynamic anchor and reference link',
      'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first',
      'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first',
      'dynamicRef: $dynamicRef points to a boolean schema',
      'dynamicRef: $dynamicRef skips over intermediate resources - direct reference',
      'dynamicRef: $dynamicRef avoids the root of each schema, but scopes are still registered',
      'unevaluatedItems: unevaluatedItems with $dynamicRef',
      'unevaluatedProperties: unevaluatedProperties with $dynamicRef',
    ],
  },
  {
    why: 'Parts have no names of their own: a reference is a path.',
    fault: /\$anchor is not supported/,
    names: [
      'anchor: Location-independent identifier',
      'anchor: Location-independent identifier with absolute URI',
      'anchor: Location-independent identifier with base URI change in subschema',
      'anchor: same $anchor with different base uri',
      'ref: order of evaluation: $id and $anchor and $ref',
      'ref: URN base URI with URN and anchor ref',
    ],
  },
  {
    why: 'A schema is one document: an $id inside it would change what the references below it mean.',
    fault: /\$id is supported at the top only/,
    names: [
      'ref: Recursive references between schemas',
      'ref: refs with relative uris and defs',
      'ref: relative refs with absolute uris and defs',
      'ref: $id must be resolved against nearest parent, not just immediate parent',
      'ref: order of evaluation: $id and $ref',
      'ref: order of evaluation: $id and $ref on nested schema',
      'ref: URN ref with nested pointer ref',
      'ref: ref to if',
      'ref: ref to then',
      'ref: ref to else',
      'ref: ref with absolute-path-reference',
      'refRemote: base URI change',
      'refRemote: base URI change - change folder',
      'refRemote: base URI change - change folder in subschema',
    ],
  },
  {
    why: 'Nothing is fetched for a schema, and none is known by its address.',
    fault: /\$ref must refer to a part of this schema/,
    names: [
      'defs: validate definition against metaschema',
      'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor',
      'ref: remote ref, containing refs itself',
      'ref: simple URN base URI with $ref via the URN',
      'ref: URN base URI with URN and JSON pointer ref',
      'refRemote: remote ref',
      'refRemote: fragment within remote ref',
      'refRemote: anchor within remote ref',
      'refRemote: ref within remote ref',
      'refRemote: root ref in remote ref',
      'refRemote: remote ref with ref to defs',
      'refRemote: Location-independent identifier in remote ref',
      'refRemote: retrieved nested refs resolve relative to their URI not $id',
      'refRemote: remote HTTP ref with different $id',
      'refRemote: remote HTTP ref with different URN $id',
      'refRemote: remote HTTP ref with nested absolute ref',
      'refRemote: $ref to $ref finds detached $anchor',
    ],
  },
];

/** Values that are judged differently. */
const wrong = [
  // The suite treats formats as annotations. These are checked, because models fill them in and tools rely on them.
  'format: email format: invalid email string is only an annotation by default',
  'format: date format: invalid date string is only an annotation by default',
  'format: date-time format: invalid date-time string is only an annotation by default',
  'format: time format: invalid time string is only an annotation by default',
  'format: uri format: invalid uri string is only an annotation by default',
  'format: uuid format: invalid uuid string is only an annotation by default',
  // A meta-schema would have to be fetched to know that it disables validation.
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates',
];

const matches = (pattern: string, text: string) => readPattern(pattern)?.test(text) ?? false;
const faultsOf = (schema: JsonSchema) =>
  findSchemaFaults(schema).map(({ path, message }) => `${path} ${message}`);

it('has all its cases', () => {
  expect(groups.flatMap(({ tests }) => tests)).toHaveLength(1_299);
});

it('has schemas that are refused, and only those that are listed', () => {
  const found = groups.filter(({ schema }) => faultsOf(schema).length > 0);
  expect(found.map(({ name }) => name).toSorted()).toEqual(refused.flatMap(({ names }) => names).toSorted());
  expect(found.flatMap(({ tests }) => tests)).toHaveLength(123);
});

it.each(refused)('$why', ({ fault, names }) => {
  for (const name of names) {
    const schema = groups.find((group) => group.name === name)?.schema;
    expect(schema && faultsOf(schema), name).toContainEqual(expect.stringMatching(fault));
  }
});

it('is judged as it says, except for the values that are listed', () => {
  const accepted = groups.filter(({ schema }) => faultsOf(schema).length === 0);
  const found = accepted.flatMap(({ name, schema, tests }) =>
    tests
      .filter(([, value, isValid]) => {
        const faults = findFaults(schema, value, { units: 20_000, matches });
        return (faults.length === 0) !== isValid;
      })
      .map(([description]) => `${name}: ${description}`),
  );
  expect(found.toSorted()).toEqual(wrong.toSorted());
});

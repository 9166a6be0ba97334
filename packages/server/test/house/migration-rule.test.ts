import { expect, it } from 'vitest';
import { migrationsOnlyAdd } from './migration-rule.ts';

const check = (sql: string, name = '0099-later.sql') =>
  migrationsOnlyAdd(new Map([[`migrations/${name}`, sql]]));

it.each([
  ['drop table a', 'drops'],
  ['alter table a drop column b', 'drops'],
  ['alter table a rename b to c', 'renames'],
  ['alter table a alter column b set not null', 'forbids null in'],
  ['alter table a alter column b type bigint', 'changes the type of'],
  ['alter table a add column b numeric(3, 2) not null', 'adds a required column'],
  ['alter table a add column b text default 1, add c text not null', 'adds a required column'],
  ['create unique index d on c (d)', 'constrains'],
  ['alter table c add column d text, add constraint e check (d is null)', 'constrains'],
])('refuses %s', (sql, what) => {
  const [first, ...others] = check(`create table a (b text not null);\n${sql};\n`);
  expect(first).toContain(`0099-later.sql:2 ${what}`);
  expect(others).toEqual([]);
  expect(check(`${sql};`, '0023-failed-tool-messages.sql')).toEqual([]);
  expect(check(`-- The column is unused since 0042-other.sql.\n${sql};`)).toEqual([]);
});

it.each([
  'create table a (b text not null);',
  'alter table a add column b numeric(3, 2) not null default 0, add column c text;',
  'alter table a alter column b drop not null;',
  '-- Does not drop table a.\ndrop index a_b;',
  'create table a (b text);\ncreate unique index a_b on a (b);\nalter table a add constraint c check (b is null);',
])('allows %s', (sql) => {
  expect(check(sql)).toEqual([]);
});

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

export const deployFolder = resolve(import.meta.dirname, '../../../../deploy');
export const composeFile = join(deployFolder, 'compose/compose.yaml');

export interface ComposeService {
  environment: Record<string, string>;
  command: string[];
  healthcheck: { test: string[] };
  volumes: string[];
  networks: Record<string, { ipv4_address: string } | null>;
}

export interface Compose {
  services: Record<'svc' | 'database' | 'redis' | 'caddy', ComposeService>;
  networks: { inside: { ipam: { config: [{ subnet: string; ip_range: string; gateway: string }] } } };
}

/** The file as Compose understands it, with variables in place. Throws where Compose would refuse to start. */
export async function readCompose(variables: Record<string, string>): Promise<Compose> {
  const fill = (text: string) =>
    text.replace(
      /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
      (found: string, name: string | undefined, sign: string | undefined, other = '') => {
        if (name === undefined) return '$';
        const value = variables[name];
        if (value) return value;
        if (sign === '?') throw new Error(`${name}: ${other}`);
        if (sign === undefined) throw new Error(`${found} has no value`);
        return other;
      },
    );
  const text = await readFile(composeFile, 'utf8');
  return parse(text, (_, value: unknown) => (typeof value === 'string' ? fill(value) : value)) as Compose;
}

/** example.env, with what is empty there, filled in. */
export async function fillExample(values: Record<string, string>): Promise<Record<string, string>> {
  const text = await readFile(join(deployFolder, 'compose/example.env'), 'utf8');
  const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)];
  const example = lines.map(([, name = '', value = '']) => [name, values[name] ?? value] as const);
  const unknown = Object.keys(values).filter((name) => !example.some(([known]) => known === name));
  if (unknown.length > 0) throw new Error(`example.env does not have ${unknown.join(', ')}.`);
  return Object.fromEntries(example);
}

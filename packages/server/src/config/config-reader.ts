import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { createAllowList } from '../egress/allow-list.ts';
import { isNameServer } from '../egress/name-server.ts';
import { parsePrices } from '../models/parse-prices.ts';
import { ConfigError } from './config-error.ts';
import { parseDestinations } from './voice-destinations.ts';
import { parseVoicePrices } from './voice-prices.ts';

export type ConfigReader = ReturnType<typeof createConfigReader>;

/** Reads and checks single variables of the environment. Paths of files are relative to the folder. */
export function createConfigReader(environment: NodeJS.ProcessEnv, folder: string) {
  const text = (name: string) => environment[name]?.trim() || undefined;

  /** From NAME, or from the file that NAME_FILE names. */
  const secret = (name: string) => {
    const file = text(`${name}_FILE`);
    if (!file) return text(name);
    if (text(name)) throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them.`);
    try {
      return readFileSync(resolve(folder, file), 'utf8').trim() || undefined;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw new ConfigError(`${name}_FILE names a file that cannot be read (${reason}).`);
    }
  };

  const matching = (name: string, pattern: RegExp, rule: string) => {
    const value = text(name);
    if (value !== undefined && !pattern.test(value)) throw new ConfigError(`${name} ${rule}.`);
    return value;
  };

  const checkedUrl = (name: string, value: string | undefined, protocols: string[]) => {
    if (value === undefined) return undefined;
    if (!protocols.includes(parseUrl(value)?.protocol ?? '')) {
      throw new ConfigError(`${name} must be a URL that starts with ${protocols.join('// or ')}//.`);
    }
    return value;
  };

  const url = (name: string) => checkedUrl(name, text(name), ['http:', 'https:'])?.replace(/\/+$/, '');

  const list = (name: string) =>
    (text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);

  const listOf = (name: string, isOne: (entry: string) => boolean, rule: string) => {
    const entries = list(name);
    const wrong = entries.find((entry) => !isOne(entry));
    if (wrong === undefined) return entries;
    throw new ConfigError(`${name} must be ${rule}: '${wrong}' is not one.`);
  };

  /** What was parsed, unless that failed. */
  const parsed = <Value>(name: string, value: Value | undefined, rule: string): Value => {
    if (value !== undefined) return value;
    throw new ConfigError(`${name} must be ${rule}.`);
  };

  return {
    text,
    secret,
    url,
    matching,
    list,
    allowList(name: string) {
      const entries = list(name);
      try {
        createAllowList(entries);
      } catch (error) {
        throw new ConfigError(`${name} cannot be used: ${(error as Error).message}`, { cause: error });
      }
      return entries;
    },
    modelId(name: string, faultOf: (id: string) => string | undefined) {
      const value = text(name);
      const fault = value && faultOf(value);
      if (fault) throw new ConfigError(`${name} ${fault}.`);
      return value;
    },
    secretUrl(name: string, protocols: string[]) {
      const value = secret(name);
      const hasProtocol = protocols.some((protocol) => value?.startsWith(`${protocol}//`));
      if (value === undefined || !hasProtocol) return checkedUrl(name, value, protocols);
      const address = parseUrl(value);
      if (address && isEncoded(address.username) && isEncoded(address.password)) return value;
      throw new ConfigError(
        `${name} must have the special characters of its user and password percent-encoded.`,
      );
    },
    integer(name: string, least: number, most: number) {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= least && number <= most) return number;
      throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`);
    },
    processes: (name: string) =>
      parsed(name, parseProcessCount(text(name) ?? '1'), `auto or a whole number from 1 to ${maxProcesses}`),
    money: (name: string) =>
      matching(name, /^\d{1,9}(\.\d{1,9})?$/, 'must be an amount in US dollars, for example 25 or 4.50'),
    oneOf(name: string, allowed: string[]) {
      const value = text(name);
      if (value !== undefined && !allowed.includes(value)) {
        throw new ConfigError(`${name} must be one of ${allowed.join(', ')}.`);
      }
      return value;
    },
    nameServers(name: string) {
      const servers = list(name);
      if (servers.every(isNameServer)) return servers;
      throw new ConfigError(
        `${name} must be addresses such as 10.0.0.2 or [fd00::2]:53, separated by commas.`,
      );
    },
    origins: (name: string) =>
      listOf(
        name,
        (origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin,
        'exact origins such as https://app.example.com, separated by commas, without a path or *',
      ),
    networks: (name: string) =>
      listOf(
        name,
        (network) => ipaddr.isValid(network) || ipaddr.isValidCIDR(network),
        'addresses or networks such as 10.0.0.7 or 10.0.0.0/8, separated by commas',
      ),
    key(name: string) {
      const value = secret(name);
      return value === undefined ? undefined : parseKey(name, value);
    },
    keys: (name: string) =>
      (secret(name) ?? '')
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((value) => parseKey(name, value)),
    prices: (name: string) =>
      parsed(
        name,
        parsePrices(text(name) ?? '{}'),
        'JSON such as {"openai/my-model":{"input":1.25,"cached_input":0.1,"output":10}}, in US dollars per million tokens',
      ),
    voicePrices: (name: string) =>
      parsed(
        name,
        parseVoicePrices(text(name) ?? '{}'),
        'JSON such as {"speaking":{"elevenlabs":0.05},"listening":{"deepgram":0.0092},"telephone":{"sip":{"inbound":0.01,"outbound":0.01,"prefixes":{"+44":0.03}}}}, in US dollars per 1,000 characters and per minute',
      ),
    destinations: (name: string) =>
      parsed(
        name,
        parseDestinations(text(name) ?? ''),
        'countries such as AT or CH, premium, satellite, all, or single numbers in digits, separated by commas',
      ),
    redisUrl(name: string) {
      const value = secret(name);
      if (value === undefined || isRedisUrl(value)) return value;
      throw new ConfigError(
        `${name} must look like redis://user:password@host:6379, or rediss:// for TLS, with special characters percent-encoded.`,
      );
    },
  };
}

function parseKey(name: string, value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]+=*$/.test(value)) {
    throw new ConfigError(`${name} must be 32 bytes as base64.`);
  }
  return bytes;
}

/** More processes would only compete for the connections of one database. */
const maxProcesses = 64;

/** A number of processes, or `auto` for one per core; undefined if the text is neither. */
function parseProcessCount(text: string): number | undefined {
  if (text === 'auto') return Math.min(availableParallelism(), maxProcesses);
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= maxProcesses ? count : undefined;
}

/** Whether it reads `redis://user:password@host:port/database`, or `rediss://` for TLS, with all but the host optional. */
function isRedisUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || !url.hostname) return false;
  return /^\/?\d{0,5}$/.test(url.pathname) && isEncoded(url.username) && isEncoded(url.password);
}

/** PostgreSQL's way to name a Unix socket, `postgres://user@/database?host=/directory`, has no host where URL wants one. */
const parseUrl = (value: string): URL | null => URL.parse(value.replace('@/', '@localhost/'));

function isEncoded(text: string): boolean {
  return /^(?:[^%]|%[\da-f]{2})*$/i.test(text);
}

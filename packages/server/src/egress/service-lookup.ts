import { Resolver } from 'node:dns/promises';

export interface ServiceHost {
  host: string;
  port: number;
}

/** The hosts of a service by its SRV records (RFC 2782), in the order in which they are to be tried. */
export type ServiceLookup = (name: string) => Promise<ServiceHost[]>;

export interface ServiceLookupOptions {
  /** Other name servers than the system's. */
  servers?: string[];
  random?: () => number;
}

const maxHosts = 8;

/** Answers with none where there are no records, and where name servers do not answer: most services have none. */
export function createServiceLookup({
  servers,
  random = Math.random,
}: ServiceLookupOptions = {}): ServiceLookup {
  return async (name) => {
    const resolver = new Resolver({ timeout: 1_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const records = await resolver.resolveSrv(name).catch(() => []);
    // The target of a service that is decidedly not there is the root.
    const hosts = records.filter((record) => record.name !== '' && record.name !== '.');
    // Within a priority, those with more weight are more often the first.
    const drawn = hosts.map((record) => ({
      ...record,
      draw: random() ** (1 / Math.max(record.weight, 0.01)),
    }));
    return drawn
      .toSorted((one, other) => one.priority - other.priority || other.draw - one.draw)
      .slice(0, maxHosts)
      .map((record) => ({ host: record.name, port: record.port }));
  };
}

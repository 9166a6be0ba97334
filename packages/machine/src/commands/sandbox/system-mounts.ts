import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from './build-arguments.ts';

/** Programs and libraries. Guix and Nix keep theirs in stores, in which nothing is secret. */
export const systemFolders = ['/usr', '/opt', '/nix/store', '/gnu/store'];

/** Links to folders in /usr on most systems. */
const topFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What programs read in /etc. Nothing here holds passwords or private keys, which is why /etc/ssl is not listed whole. */
const settings = [
  'alpine-release',
  'alternatives',
  'arch-release',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'fedora-release',
  'fonts',
  'gai.conf',
  'group',
  'host.conf',
  'hosts',
  'inputrc',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'locale.conf',
  'localtime',
  'lsb-release',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'perl',
  'pki/ca-trust',
  'pki/tls/cert.pem',
  'pki/tls/certs',
  'pki/tls/openssl.cnf',
  'protocols',
  'redhat-release',
  'services',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
  'static',
  'terminfo',
  'timezone',
];

/** Facts about the whole machine that root could read. */
const hiddenInProc = ['kcore', 'key-users', 'keys', 'kpagecgroup', 'kpagecount', 'kpageflags', 'timer_list'];

/** Folders with a version in their name, such as /etc/java-17-openjdk. */
const versionedSettings = /^(?:java(?:-.+)?|python[\d.]+)$/;

export function systemMounts(hasNetworkOfHost: boolean): Mount[] {
  const names = [
    ...settings,
    ...entriesOf('/etc').filter((name) => versionedSettings.test(name)),
    ...(hasNetworkOfHost ? ['resolv.conf'] : []),
  ];
  return [
    ...systemFolders.map(readOnly),
    ...topFolders.map((target): Mount => linkTo(target) ?? { kind: 'read-only', source: target, target }),
    ...names.map((name) => readOnly(join('/etc', name))),
    ...hiddenInProc
      .map((name) => join('/proc', name))
      .filter((target) => existsSync(target))
      .map((target): Mount => ({ kind: 'read-only', source: '/dev/null', target })),
    { kind: 'link', source: '/tmp', target: '/var/tmp' },
    { kind: 'link', source: '/proc/self/mounts', target: '/etc/mtab' },
  ];
}

function readOnly(path: string): Mount {
  return { kind: 'read-only', source: path, target: path };
}

function linkTo(path: string): Mount | undefined {
  try {
    return { kind: 'link', source: readlinkSync(path), target: path };
  } catch {
    // A folder of its own, or missing.
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A system without this folder.
    return [];
  }
}

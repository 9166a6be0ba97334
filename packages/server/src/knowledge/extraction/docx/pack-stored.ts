import { crc32 } from 'node:zlib';

/** Packs parts into an archive without compression. */
export function packStored(parts: ReadonlyMap<string, Buffer>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const encodedName = Buffer.from(name);
    const common = describe(encodedName, content);
    const local = Buffer.concat([signature(0x04034b50), version, common, encodedName]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), version, version, common, central, encodedName);
    files.push(local, content);
    offset += local.length + content.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.size, 8);
  end.writeUInt16LE(parts.size, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, entries, end]);
}

const version = Buffer.from([20, 0]);

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Flags (names are UTF-8), method, time, checksum, sizes, length of the name, nothing extra. */
function describe(name: Buffer, content: Buffer): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(0x0800, 0);
  bytes.writeUInt32LE(crc32(content), 8);
  bytes.writeUInt32LE(content.length, 12);
  bytes.writeUInt32LE(content.length, 16);
  bytes.writeUInt16LE(name.length, 20);
  return bytes;
}
